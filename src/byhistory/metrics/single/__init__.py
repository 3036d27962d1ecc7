"""What is measured on one run?"""

from byhistory.metrics.base import Single
from byhistory.metrics.single.char_len import METRIC as CHAR_LEN
from byhistory.metrics.single.complete_ratio import METRIC as COMPLETE_RATIO
from byhistory.metrics.single.decimals import METRIC as DECIMALS
from byhistory.metrics.single.digit_len import METRIC as DIGIT_LEN
from byhistory.metrics.single.digits import METRIC as DIGITS
from byhistory.metrics.single.dist_val_count import METRIC as DIST_VAL_COUNT
from byhistory.metrics.single.edge_space_ratio import METRIC as EDGE_SPACE_RATIO
from byhistory.metrics.single.empty_ratio import METRIC as EMPTY_RATIO
from byhistory.metrics.single.integer_ratio import METRIC as INTEGER_RATIO
from byhistory.metrics.single.len_max import METRIC as LEN_MAX
from byhistory.metrics.single.len_p5 import METRIC as LEN_P5
from byhistory.metrics.single.len_p95 import METRIC as LEN_P95
from byhistory.metrics.single.max import METRIC as MAX
from byhistory.metrics.single.mean import METRIC as MEAN
from byhistory.metrics.single.mean_size import METRIC as MEAN_SIZE
from byhistory.metrics.single.median import METRIC as MEDIAN
from byhistory.metrics.single.min import METRIC as MIN
from byhistory.metrics.single.nan_ratio import METRIC as NAN_RATIO
from byhistory.metrics.single.negative_ratio import METRIC as NEGATIVE_RATIO
from byhistory.metrics.single.p1 import METRIC as P1
from byhistory.metrics.single.p5 import METRIC as P5
from byhistory.metrics.single.p95 import METRIC as P95
from byhistory.metrics.single.p99 import METRIC as P99
from byhistory.metrics.single.pattern_count import METRIC as PATTERN_COUNT
from byhistory.metrics.single.punc_len import METRIC as PUNC_LEN
from byhistory.metrics.single.range import METRIC as RANGE
from byhistory.metrics.single.row_count import METRIC as ROW_COUNT
from byhistory.metrics.single.space_len import METRIC as SPACE_LEN
from byhistory.metrics.single.std import METRIC as STD
from byhistory.metrics.single.str_len import METRIC as STR_LEN
from byhistory.metrics.single.sum import METRIC as SUM
from byhistory.metrics.single.top_pattern_ratio import METRIC as TOP_PATTERN_RATIO
from byhistory.metrics.single.top_value_ratio import METRIC as TOP_VALUE_RATIO
from byhistory.metrics.single.true_ratio import METRIC as TRUE_RATIO
from byhistory.metrics.single.unique_ratio import METRIC as UNIQUE_RATIO
from byhistory.metrics.single.upper_ratio import METRIC as UPPER_RATIO
from byhistory.metrics.single.zero_ratio import METRIC as ZERO_RATIO

ALL: tuple[Single, ...] = (
    ROW_COUNT,
    COMPLETE_RATIO,
    UNIQUE_RATIO,
    DIST_VAL_COUNT,
    MIN,
    MAX,
    MEAN,
    MEDIAN,
    SUM,
    RANGE,
    STR_LEN,
    CHAR_LEN,
    DIGIT_LEN,
    PUNC_LEN,
    STD,
    P1,
    P5,
    P95,
    P99,
    ZERO_RATIO,
    NEGATIVE_RATIO,
    INTEGER_RATIO,
    NAN_RATIO,
    DECIMALS,
    DIGITS,
    TOP_VALUE_RATIO,
    TRUE_RATIO,
    EMPTY_RATIO,
    UPPER_RATIO,
    EDGE_SPACE_RATIO,
    SPACE_LEN,
    LEN_P5,
    LEN_P95,
    LEN_MAX,
    MEAN_SIZE,
    PATTERN_COUNT,
    TOP_PATTERN_RATIO,
)
