"""What does Spark's own error mean, in one sentence?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from byhistory.errors import ByHistoryError
from byhistory.files.reader import Declined

_LONGEST = 300
"""How many characters of Spark's own message are repeated, by choice."""


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One thing that goes wrong: what its message looks like, what it means, and what to do about it.

    `found` and `todo` may use the groups of the pattern. `is_transient` says that it may be gone at the next try.
    """

    pattern: str
    found: str
    todo: str
    is_transient: bool = False


CAUSES = (
    # First those whose messages quote values of the data, which must not be shown.
    KnownFailure(
        r"of the type \"?(?P<type>\w+)[^\"]*\"? cannot be cast to \"?(?P<wanted>\w+)",
        "a value that cannot be cast from {type} to {wanted}",
        "correct --where or --query, such as with try_cast, or the type in --schema",
    ),
    KnownFailure(
        r"\[?(?P<code>CAST_INVALID_INPUT|CAST_OVERFLOW\w*|\w*_?OVERFLOW|USER_RAISED_EXCEPTION|CANNOT_PARSE_\w+|INVALID_\w+_VALUE|"
        r"NUMERIC_VALUE_OUT_OF_RANGE|MALFORMED_RECORD_IN_PARSING|NumberFormatException|DateTimeParseException)\b",
        "a value that cannot be read as it was asked ({code})",
        "correct --where, --query or --schema; --verbose shows all of the error, with the value",
    ),
    KnownFailure(
        r"PATH_NOT_FOUND\W+Path does not exist: (?P<path>\S+?)\.?(?:\s|$)|Path does not exist: (?P<other>\S+)",
        "no such path: {path}{other}",
        "give a path that exists, as this Spark sees it",
    ),
    KnownFailure(
        r"UNABLE_TO_INFER_SCHEMA\W+Unable to infer schema for (?P<format>\w+)",
        "no {format} file with data in it",
        "see whether the run was written; if its files have another format, name it with --format",
    ),
    KnownFailure(
        r"(?:DATA_SOURCE_NOT_FOUND\W+)?Failed to find (?:the )?data source: (?P<format>[\w.]+)",
        "a Spark without a reader for {format}",
        "bring it along: --conf spark.jars.packages=… with the package that has it, or use a cluster that does",
    ),
    KnownFailure(
        r"TABLE_OR_VIEW_NOT_FOUND\W+The table or view (?P<name>\S+) cannot be found",
        "no table {name} in the catalog of this Spark",
        "give its full name, and the catalog with --conf, --master or --remote",
    ),
    KnownFailure(
        r"UNRESOLVED_COLUMN[\w.]*\W+A column,? .*?with name (?P<name>\S+) cannot be resolved"
        r"(?:\. Did you mean one of the following\? (?P<near>\[[^\]]*\]))?",
        "no column {name} {near}",
        "correct the name in --where, --query or --columns",
    ),
    KnownFailure(
        r"PARSE_SYNTAX_ERROR\W+Syntax error at or near (?P<near>.+?)\. ?(?:SQLSTATE|$|\n|\(line)",
        "SQL that Spark does not understand, at {near}",
        "correct --where, --query or --schema",
    ),
    KnownFailure(
        r"PARQUET_COLUMN_DATA_TYPE_MISMATCH|SchemaColumnConvertNotSupportedException",
        "files in which a column has different types ({message})",
        "write the run anew with one type, leave the column out with --exclude, or say --engine local: there every run "
        "has the types of its own files",
    ),
    KnownFailure(
        r"is not a Parquet file|CANNOT_READ_FILE_FOOTER|Could not read footer|not a valid ORC|Malformed ORC|"
        r"FAILED_READ_FILE|Encountered error while reading file|corrupted file: the footer|incorrect data check|"
        r"Not an Avro data file|CorruptRecord",
        "a damaged file, or one of another format ({message})",
        "mend or remove it; if the format is another, name it with --format",
    ),
    KnownFailure(
        r"OutOfMemoryError|Java heap space|GC overhead limit|MemoryError|Killed by",
        "too little memory for it",
        "give Spark more, such as --conf spark.driver.memory=8g, or read fewer columns with --columns",
    ),
    KnownFailure(
        r"ModuleNotFoundError: No module named '(?P<module>[\w.]+)'",
        "a Python without {module} where Spark works",
        "install numpy and pyarrow in the Python that Spark's workers use",
    ),
    KnownFailure(
        r"No FileSystem for scheme \"?(?P<scheme>\w+)|UnsupportedFileSystemException.*scheme \"?(?P<other>\w+)|"
        r"Class org\.apache\.hadoop\.fs\.(?P<room>\w+)\.\w+ not found",
        "a Spark that cannot read {scheme}{other}{room}:// addresses",
        "bring the reader along: --conf spark.jars.packages=…, such as org.apache.hadoop:hadoop-aws for s3a; or, for "
        "Parquet, say in byhistory.toml how its storage is reached, and see whether the path is right",
    ),
    KnownFailure(
        r"AccessControlException|Permission denied|AccessDenied|403 Forbidden",
        "no right to read it ({message})",
        "let this user read it, or use an account that may",
    ),
    KnownFailure(
        r"ExecutorLostFailure|FetchFailed|Executor heartbeat timed out|SlowDown|Slow Down|503 Service|TooManyRequests|"
        r"ThrottlingException|RequestTimeout|DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED.*(?:quota|rate)",
        "a worker that was lost, or a service that asked to wait ({message})",
        "try again; if it stays, read fewer tables at once (--at-once)",
        is_transient=True,
    ),
    KnownFailure(
        r"Answer from Java side is empty|Error while sending or receiving|Py4JNetworkError|"
        r"Connection reset by peer|EOFError",
        "that the Java process of Spark ended in the middle of it",
        "see whether the machine ran out of memory; give Spark less to do with --columns, or more room",
    ),
    KnownFailure(
        r"UNAVAILABLE|failed to connect|Connection refused|Name or service not known|"
        r"All masters are unresponsive|Could not connect to",
        "no Spark that answers there",
        "see whether it runs and the address is right (--remote sc://host:15002, --master spark://host:7077)",
        is_transient=True,
    ),
    KnownFailure(
        r"Java gateway process exited|JAVA_GATEWAY_EXITED",
        "a Java that ended before Spark had started",
        "see why with --verbose; often it is a setting (--conf) or too little memory",
    ),
    KnownFailure(
        r"Could not parse Master URL: '?(?P<url>[^'\s]+)|"
        r"A master URL must be set|URL.*sc://.*(?:invalid|not correct)|INVALID_CONNECT_URL",
        "an address that Spark does not understand",
        "write --master local[4], spark://host:7077 or yarn; --remote sc://host:15002",
    ),
)
"""The failures that are looked for, in this order."""


@contextmanager
def explained(asked: str, noticed: Callable[[BaseException], None] = lambda _: None) -> Iterator[None]:
    """Turn what Spark raises into an error of ours: what was asked, the cause, what to do. Others pass through."""
    try:
        yield
    except Exception as why:
        if isinstance(why, ByHistoryError) or not is_of_spark(why):
            raise
        noticed(why)
        raise explanation(asked, why) from why


def is_of_spark(why: BaseException) -> bool:
    """Whether Spark, its bridge to Java or its connection raised it."""
    rooms = {kind.__module__.partition(".")[0] for kind in type(why).__mro__}
    return bool(rooms & {"pyspark", "py4j", "grpc"}) or isinstance(why, ConnectionError | EOFError)


def explanation(asked: str, why: BaseException) -> ByHistoryError:
    """One sentence about the cause, from the longest message there is.

    If the files had been tried without Spark before, and its error does not name the one that is broken, that is told.
    """
    chain = list(_chain(why))
    text = "\n".join(message for error in chain for message in _messages(error))
    before = next((str(error) for error in chain if isinstance(error, Declined)), "")
    for cause in CAUSES:
        found = re.search(cause.pattern, text)
        if found:
            groups = {k: v or "" for k, v in found.groupdict().items()}
            what = cause.found.format(**groups, message=_first_sentence(text)).strip()
            return ByHistoryError(asked, _naming(what, before), cause.todo, is_transient=cause.is_transient)
    what = f"an error of Spark ({_first_sentence(text)})"
    return ByHistoryError(asked, _naming(what, before), "run it with --verbose to see all of it")


def _naming(what: str, before: str) -> str:
    """What was found, with why the files could not be read directly if only that names one of them."""
    files = re.findall(r"/([^/\s]+)(?=\s|$)", before)
    return f"{what}; {before}" if files and not any(file in what for file in files) else what


def _chain(why: BaseException | None) -> Iterator[BaseException]:
    """The error and its causes."""
    seen: set[int] = set()
    while why is not None and id(why) not in seen:
        seen.add(id(why))
        yield why
        why = why.__cause__ or why.__context__


def _messages(why: BaseException) -> Iterator[str]:
    """The messages of an error, in Python and in Java."""
    yield f"{type(why).__name__}: {why}"
    java = getattr(why, "java_exception", None)
    if java is not None:
        yield _java(java)


def _java(error: object) -> str:
    try:
        return str(error.toString())  # type: ignore[attr-defined]  # a Java object
    except Exception:  # the bridge may be the thing that broke
        return ""


_NOISE = re.compile(
    r"^(?:\w+: )?"  # the Python class
    r"(?:An error occurred while calling \S+\s*:?\s*)?"
    r"(?:[\w$.]+(?:Exception|Error): )*"  # Java classes
    r"(?:Job aborted due to stage failure: Task \d+ in stage \S+ failed \d+ times, most recent failure: )?"
    r"(?:Lost task \S+ in stage \S+ \(TID \d+\) \([^)]*\): )?"
    r"(?:[\w$.]+(?:Exception|Error): )*"
    r"(?:\[[A-Z_.0-9]+\] )?",
    re.DOTALL,
)


def _first_sentence(text: str) -> str:
    r"""The cause without classes, codes and stack.

    >>> _first_sentence("AnalysisException: [X_Y] The column is bad. SQLSTATE: 42703;\n'Project ['x]")
    'The column is bad'
    """
    rest = _NOISE.sub("", text.strip(), count=1)
    rest = re.split(r"\n\s+at |\n\s*\n|SQLSTATE|\nDriver stacktrace|;?\n|JVM stacktrace", rest)[0]
    rest = re.sub(r"\s+", " ", rest).strip(" .;:") or re.sub(r"\s+", " ", text).strip()
    return rest if len(rest) <= _LONGEST else rest[:_LONGEST] + "…"
