from rag_core.resilience.cancellation import Cancellation


def test_a_cancellation_makes_the_future_done_that_is_waited_for() -> None:
    cancellation = Cancellation()

    with cancellation.awaited() as gone:
        was_done = gone.done()
        cancellation.cancel()

        assert not was_done
        assert gone.done()


def test_what_was_cancelled_before_is_done_at_once() -> None:
    cancellation = Cancellation()
    cancellation.cancel()

    with cancellation.awaited() as gone:
        assert gone.done()


def test_cancelling_once_more_changes_nothing() -> None:
    cancellation = Cancellation()

    with cancellation.awaited() as gone:
        cancellation.cancel()
        cancellation.cancel()

        assert gone.result() is None


def test_after_the_block_nothing_is_heard_any_more() -> None:
    cancellation = Cancellation()

    with cancellation.awaited() as gone:
        pass
    cancellation.cancel()

    assert not gone.done()
