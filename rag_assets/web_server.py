"""Dagster's web server behind our guard, in one process: ``python -m rag_assets.web_server -w WORKSPACE``.

Instead of ``dagster-webserver``, which would listen by itself. It listens on loopback at ``BRAIN_DAGSTER_PORT``; Dagster's part is
what ``dagster_webserver.cli`` does in version 1.13, without its telemetry and without reading a ``.env`` of the current folder.
"""

import signal
import sys
from argparse import ArgumentParser
from types import FrameType
from typing import Final

import dagster as dg
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import WorkspaceFileTarget
from dagster._utils.log import configure_loggers
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__

from rag_assets.pools import set_default_limits
from rag_core.api.dagster_guard import guarded
from rag_core.api.server import build_server
from rag_core.settings import Settings, read_settings

STATEMENT_TIMEOUT_MS: Final = 15_000
POOL_RECYCLE_SECONDS: Final = 3_600
POOL_MAX_OVERFLOW: Final = 20
POLL_MS: Final = 2_000
"""Interval at which the UI polls for changes of what it shows; these four are the defaults of ``dagster-webserver``."""


def serve(settings: Settings, workspace: str) -> None:
    """Serve the UI and its GraphQL until SIGTERM.

    Raises:
        DatabaseUnavailableError, DatabaseSetupError, ConfigurationError: keys cannot be looked up.
    """
    configure_loggers(formatter="colored", log_level="INFO")
    with dg.DagsterInstance.get() as instance:
        instance.optimize_for_webserver(STATEMENT_TIMEOUT_MS, POOL_RECYCLE_SECONDS, POOL_MAX_OVERFLOW)
        set_default_limits(instance)
        target = WorkspaceFileTarget([workspace])
        with WorkspaceProcessContext(instance, workspace_load_target=target, version=__version__) as context:
            app = create_app_from_workspace_process_context(context, live_data_poll_rate=POLL_MS)
            with guarded(app, settings) as behind_guard:
                build_server(behind_guard, port=settings.dagster_port, has_websockets=True).run()


def main() -> None:
    """Serve what the arguments and the environment say."""
    signal.signal(signal.SIGTERM, _leave)
    parser = ArgumentParser(description="Dagster's web server behind the guard of Brain Sync")
    parser.add_argument("-w", "--workspace", required=True, help="the workspace.yaml of the code location")
    serve(read_settings(), parser.parse_args().workspace)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """Close everything and exit with 0; uvicorn raises the signal again after its last answer."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


if __name__ == "__main__":
    main()
