"""A name for a process that no other one ever has: a number alone is given to others later."""

import platform


def this_process() -> str:
    """The name of this process, ``host/pid/start``."""
    import psutil  # 0.05 s, needed only where a process is named

    process = psutil.Process()
    return f"{platform.node()}/{process.pid}/{process.create_time():.2f}"


def host_of(process: str) -> str:
    """The host in a process's name."""
    return process.partition("/")[0]
