"""How far is a run from the one before?"""

from byhistory.metrics.base import Pair
from byhistory.metrics.pair.chi_squared import METRIC as CHI_SQUARED
from byhistory.metrics.pair.cohen_d import METRIC as COHEN_D
from byhistory.metrics.pair.cosine import METRIC as COSINE
from byhistory.metrics.pair.emd import METRIC as EMD
from byhistory.metrics.pair.js_div import METRIC as JS_DIV
from byhistory.metrics.pair.kl_div import METRIC as KL_DIV
from byhistory.metrics.pair.ks_dist import METRIC as KS_DIST
from byhistory.metrics.pair.l1 import METRIC as L1
from byhistory.metrics.pair.l_inf import METRIC as L_INF
from byhistory.metrics.pair.len_ks import METRIC as LEN_KS
from byhistory.metrics.pair.lost_value_ratio import METRIC as LOST_VALUE_RATIO
from byhistory.metrics.pair.new_format_ratio import METRIC as NEW_FORMAT_RATIO
from byhistory.metrics.pair.new_pattern_ratio import METRIC as NEW_PATTERN_RATIO
from byhistory.metrics.pair.new_value_ratio import METRIC as NEW_VALUE_RATIO
from byhistory.metrics.pair.pat_chi_squared import METRIC as PAT_CHI_SQUARED
from byhistory.metrics.pair.pat_cosine import METRIC as PAT_COSINE
from byhistory.metrics.pair.pat_js_div import METRIC as PAT_JS_DIV
from byhistory.metrics.pair.pat_kl_div import METRIC as PAT_KL_DIV
from byhistory.metrics.pair.pat_l1 import METRIC as PAT_L1
from byhistory.metrics.pair.pat_l_inf import METRIC as PAT_L_INF

ALL: tuple[Pair, ...] = (
    EMD,
    KS_DIST,
    COHEN_D,
    JS_DIV,
    KL_DIV,
    L1,
    L_INF,
    COSINE,
    CHI_SQUARED,
    PAT_L1,
    PAT_L_INF,
    PAT_COSINE,
    PAT_CHI_SQUARED,
    PAT_JS_DIV,
    PAT_KL_DIV,
    NEW_VALUE_RATIO,
    LOST_VALUE_RATIO,
    NEW_PATTERN_RATIO,
    LEN_KS,
    NEW_FORMAT_RATIO,
)
