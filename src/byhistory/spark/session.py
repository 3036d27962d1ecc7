"""Where do our own commands and tests get a Spark session?

Only from here, and only they: the library itself works on the session that its user passes and never makes one.
"""

import os
import re
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from byhistory.errors import ByHistoryError
from byhistory.history.url import redacted
from byhistory.spark.failure import explained
from byhistory.spark.java import java_environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGGING = Path(__file__).with_name("log4j2.properties")
JAVA_OPTIONS = "spark.driver.extraJavaOptions"

# A command's JVM lives for seconds, and Java's optimising compiler takes a third of its time: of 28 s of CPU for one
# small profile (Spark 4.3, Java 17), 21 s are left if only what runs ten times as often as usual is optimised, and 16 s
# if nothing is. A long scan is still optimised with the first.
UNHURRIED = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 "
    "-XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
SHORT_LIVED = "-XX:TieredStopAtLevel=1"
"""For sessions that only ever see a little data: the demo and tests."""
_PATIENCE = 10.0  # Seconds until a server that does not answer is said to be away.
CONNECT_PARTS = {"grpc", "grpc_status", "google", "zstandard"}


def open_session(
    app_name: str,
    *,
    master: str = "",
    remote: str = "",
    conf: Mapping[str, str] | None = None,
    compiler: str = "",
) -> "SparkSession":
    """The session for a command: in this process, on a cluster (`master`), or of a Spark Connect server (`remote`).

    `compiler` are options for Java's compiler, used in this process only; by default `UNHURRIED`.
    """
    where = redacted(remote or master) or "this machine"
    java = {JAVA_OPTIONS: f"{SETTINGS[JAVA_OPTIONS]} -XX:+IgnoreUnrecognizedVMOptions {compiler or UNHURRIED}"}
    try:
        with explained(f"start Spark on {where}"):
            _knocked(remote or master)
            Thread(target=_load_what_follows, daemon=True).start()
            if remote:
                return _remote_session(app_name, remote, dict(conf or {}))
            if not master or master.startswith("local"):
                return local_session(app_name, master or "local[*]", **(java | dict(conf or {})))
            return _cluster_session(app_name, master, dict(conf or {}))
    except ImportError as why:
        raise _missing(where, why) from why


def _load_what_follows() -> None:
    """Load what the command needs after the session, while Java starts: seconds in which Python only waits."""
    for name in ("byhistory.spark.files", "scipy.special"):
        import_module(name)


def local_session(app_name: str, master: str = "local[2]", **conf: str) -> "SparkSession":
    """A quiet Spark inside this process, for our commands and tests; `conf` wins over the settings below.

    Spark reads a setting's name with dots, so pass them as `**{"spark.sql.ansi.enabled": "false"}`.
    """
    own_environment()
    return _built(app_name, SETTINGS | conf, master=master)


def _cluster_session(app_name: str, master: str, conf: dict[str, str]) -> "SparkSession":
    """A driver here and executors elsewhere: how they connect and which Python they use is up to the cluster."""
    os.environ.update(java_environment(os.environ))
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    here = {name: value for name, value in SETTINGS.items() if name in ANYWHERE}
    return _built(app_name, here | conf, master=master)


def _remote_session(app_name: str, remote: str, conf: dict[str, str]) -> "SparkSession":
    if remote.startswith("local"):  # Spark starts the server itself, as a process of its own
        own_environment()
        conf = SETTINGS | conf
    return _built(app_name, conf, remote=remote)


def _built(app_name: str, conf: Mapping[str, str], *, master: str = "", remote: str = "") -> "SparkSession":
    from pyspark.sql import SparkSession

    # We make no pandas objects, and Spark's advice on which pandas to install is not for a reader of our output.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = SparkSession.builder.appName(app_name)
    builder = builder.remote(remote) if remote else builder.master(master)
    for name, value in conf.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _knocked(address: str) -> None:
    """Fail at once if nobody listens there: Spark itself would try again for minutes, silently."""
    if address and not re.match(r"local|sc://|spark://|yarn$|k8s://", address):
        raise ByHistoryError(
            f"start Spark on {redacted(address)}",
            "an address that Spark does not understand",
            "write --master local[4], spark://host:7077 or yarn, or --remote sc://host:15002",
        )
    found = re.match(r"(sc|spark)://(?P<host>\[[^\]]+\]|[^:/;,]+)(?::(?P<port>\d+))?", address)
    if found is None:
        return
    port = int(found["port"] or (15002 if found[1] == "sc" else 7077))
    try:
        socket.create_connection((found["host"].strip("[]"), port), timeout=_PATIENCE).close()
    except OSError as why:
        raise ByHistoryError(
            f"start Spark on {redacted(address)}",
            f"nobody who answers there ({why})",
            "see whether it runs and the address is right (--remote sc://host:15002, --master spark://host:7077)",
        ) from why


def _missing(where: str, why: ImportError) -> ByHistoryError:
    name = (why.name or "").partition(".")[0]
    part = "connect" if name in CONNECT_PARTS or "grpc" in str(why) else "spark"
    return ByHistoryError(
        f"start Spark on {where}", f"no {name or 'pyspark'} in this Python", f"`pip install 'byhistory[{part}]'`"
    )


def own_environment() -> None:
    """Make this process fit to start a JVM; the one place that changes an environment, and it is our own process's."""
    os.environ.update(
        java_environment(os.environ),
        PYSPARK_PYTHON=sys.executable,  # Spark's default is the first python3 on the PATH, which may lack numpy
        PYSPARK_DRIVER_PYTHON=sys.executable,
        SPARK_LOCAL_IP="127.0.0.1",  # otherwise Spark looks up the machine's name, and complains of what it finds
    )


@contextmanager
def hushed() -> Iterator[None]:
    """Let what is started meanwhile (the JVM) write its stderr into a temporary file instead of to the user.

    Its errors are raised in Python as well; only noise is lost, such as which Java modules are in use.
    """
    with tempfile.TemporaryFile() as unread:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(unread.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def tasks(spark: "SparkSession") -> tuple[int, int] | None:
    """How many tasks of the running stages are done, and how many there are; None if Spark does not tell."""
    try:
        tracker = spark.sparkContext.statusTracker()
        stages = [info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage)) is not None]
    except Exception:  # Spark Connect has none, and a session may end while it is asked
        return None
    return sum(s.numCompletedTasks for s in stages), sum(s.numTasks for s in stages)


SETTINGS = {
    # No web server: it takes a port and a second, and nobody looks at it.
    "spark.ui.enabled": "false",
    # The progress bar would be mixed into a command's output.
    "spark.ui.showConsoleProgress": "false",
    # The default of 200 makes a task for each of 200 nearly empty partitions; two cores need two.
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    # Reachable from this machine only, and independent of what its name resolves to.
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # A day is a day whatever the machine's clock is set to.
    "spark.sql.session.timeZone": "UTC",
    # A Hive catalog would leave a database in the current directory.
    "spark.sql.catalogImplementation": "in-memory",
    # Read by the JVM as it starts, so that it is quiet before a log level could be set.
    JAVA_OPTIONS: f"-Dlog4j2.configurationFile={LOGGING.as_uri()}",
}

ANYWHERE = (
    "spark.ui.enabled",
    "spark.ui.showConsoleProgress",
    "spark.sql.session.timeZone",
    "spark.driver.extraJavaOptions",
)
"""The settings that also make sense on a cluster."""
