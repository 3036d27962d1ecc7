"""Where the rows are, as options and file say; no Spark."""

import pytest

from byhistory.cli._reading import Given, with_given
from byhistory.config import Config, parse_config
from byhistory.errors import ByHistoryError
from byhistory.spark.failure import explanation, is_of_spark
from byhistory.spark.read import Source, format_of, with_defaults
from byhistory.spark.session import open_session
from byhistory.validator.reading.source import source_of

FILE = parse_config(
    """
    [tables.orders]
    path = "lake/orders/ds={run}"
    format = "orc"
    options = { mergeSchema = "true" }
    exclude = ["note"]
    """
)


def source(given: Given, config: Config = FILE) -> Source:
    return source_of("orders", with_given(config, "orders", given).table("orders"))


def test_the_file_says_where_and_the_options_which_run():
    found = source(Given(run="2026-11-15"))
    assert (found.path, found.format) == ("lake/orders/ds=2026-11-15", "orc")
    assert found.options == {"mergeSchema": "true"}


def test_a_place_given_by_option_replaces_the_one_in_the_file():
    assert source(Given(catalog="shop.orders")).path == ""
    assert source(Given(path="other", options={"a": "b"})).options == {"mergeSchema": "true", "a": "b"}


def test_columns_given_by_option_win():
    config = with_given(FILE, "orders", Given(columns="a, b", exclude="c"))
    assert config.table("orders").include == ("a", "b")
    assert config.table("orders").exclude == ("c",)
    assert with_given(FILE, "orders", Given()).table("orders").exclude == ("note",)


def test_a_run_in_a_condition_is_quoted():
    found = source(Given(path="x", where="ds = '{run}'", run="o'clock"))
    assert (found.where, found.run) == ("ds = '{run}'", "o'clock"), "the label is a parameter, never a part of the SQL"


@pytest.mark.parametrize("name", ["*", "2026-11-1?", "[2]026", "{a,b}", "a\\b", "..", "../orders", "x/../y"])
def test_a_label_or_a_name_in_a_path_stands_for_nothing_else(name):
    config = parse_config('[tables."*"]\npath = "lake/{table}/{run}"')
    for table, run in (("orders", name), (name, "2026-11-15")):
        with pytest.raises(ByHistoryError, match="Found: "):
            source_of(table, with_given(config, table, Given(run=run)).table(table))
    whole = source_of("sales.orders", with_given(config, "sales.orders", Given(run="2026/11/15")).table("sales.orders"))
    assert whole.path == "lake/sales.orders/2026/11/15"


def test_a_place_for_the_run_needs_a_run():
    with pytest.raises(ByHistoryError, match="--run"):
        source(Given())


def test_csv_has_a_header_and_types_unless_one_says_otherwise():
    assert with_defaults("csv", Source()) == {"header": "true", "inferSchema": "true"}
    assert with_defaults("csv", Source(schema="a int")) == {"header": "true"}
    assert with_defaults("csv", Source(path="x.tsv"))["sep"] == "\t"
    assert with_defaults("parquet", Source()) == {}


@pytest.mark.parametrize(
    ("files", "format_"),
    [
        (["a.csv"], "csv"),
        (["ds=1/part-0.snappy.parquet"], "parquet"),
        (["ds=1/part-0.json.gz", "_SUCCESS"], "json"),
        (["_delta_log/0.json", "part-0.parquet"], "delta"),
        (["metadata/v1.metadata.json", "data/a.parquet"], "iceberg"),
        (["README"], "parquet"),
        ([], "parquet"),
    ],
)
def test_files_tell_their_format(files, format_, tmp_path):
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert format_of(str(tmp_path)) == format_
    assert format_of(f"file://{tmp_path}") == format_


@pytest.mark.parametrize(
    ("message", "found", "todo"),
    [
        ("java.lang.OutOfMemoryError: Java heap space", "too little memory", "spark.driver.memory"),
        ("An error occurred while calling o1.collect. : org.x.Y: Answer from Java side is empty", "ended", "memory"),
        ("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: delta. Make sure", "reader for delta", "packages"),
        ("ModuleNotFoundError: No module named 'numpy'", "without numpy", "install numpy"),
        ("Connection refused", "no Spark that answers", "--remote"),
        ('No FileSystem for scheme "s3"', "cannot read s3://", "hadoop-aws"),
        ("Class org.apache.hadoop.fs.s3a.S3AFileSystem not found", "cannot read s3a://", "storage"),
        (
            "An error occurred while calling o131.collectToPython.\n: org.apache.spark.SparkException: "
            "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///x.parquet.  SQLSTATE: KD001\n\tat",
            "damaged file, or one of another format (Encountered error while reading file file:///x.parquet)",
            "mend",
        ),
        (
            "[FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH] Encountered error while reading file file:///x. "
            "Data type mismatches when reading Parquet column [n]. SQLSTATE: KD001",
            "different types (Encountered error while reading file file:///x. Data type mismatches",
            "--exclude",
        ),
        ("[SOMETHING_NEW] The moon is full. SQLSTATE: 1\n\tat org.apache", "(The moon is full)", "--verbose"),
    ],
)
def test_a_cause_is_found_in_what_spark_says(message, found, todo):
    error = explanation("read x", type("PySparkException", (Exception,), {"__module__": "pyspark.errors"})(message))
    assert found in error.found
    assert todo in error.todo
    assert "SQLSTATE" not in str(error)


@pytest.mark.parametrize(
    "message",
    [
        '[CAST_INVALID_INPUT] The value \'ann@x.example\' of the type "STRING" cannot be cast to "INT" because it is',
        "[USER_RAISED_EXCEPTION] ann@x.example SQLSTATE: P0001",
        "[FAILED_READ_FILE] x [MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION] Malformed records: [ann@x.example].",
        "[CANNOT_PARSE_TIMESTAMP] Text 'ann@x.example' could not be parsed at index 0.",
        'java.lang.NumberFormatException: For input string: "ann@x.example"',
    ],
)
def test_no_value_of_the_data_is_told_of_what_cannot_be_read(message):
    error = explanation("read x", type("PySparkException", (Exception,), {"__module__": "pyspark.errors"})(message))
    assert "x.example" not in str(error)
    assert "--where" in error.todo


def test_only_errors_of_spark_are_explained():
    assert not is_of_spark(ValueError("x"))
    assert is_of_spark(type("E", (Exception,), {"__module__": "py4j.protocol"})())


@pytest.mark.parametrize("address", ["sc://127.0.0.1:1/;token=s3cret", "spark://127.0.0.1:1", "nonsense"])
def test_a_spark_that_is_not_there_is_said_at_once(address):
    where = {"remote": address} if address.startswith("sc") else {"master": address}
    with pytest.raises(ByHistoryError, match="start Spark on") as error:
        open_session("test", **where)
    assert "--master" in error.value.todo
    assert "s3cret" not in str(error.value)
