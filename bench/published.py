"""What the paper published, read off its figures (± 0.002): what ours are compared with."""

from __future__ import annotations

QUADRANTS = (("real", "numeric"), ("seen", "numeric"), ("real", "categorical"), ("seen", "categorical"))
"""Real and Synthetic, of which our `seen` is the like: the same faults in learning and in judging."""

BY_BUDGET: dict[float, tuple[tuple[float, float], ...]] = {
    0.0005: ((0.895, 0.985), (0.711, 0.983), (0.950, 0.991), (0.767, 0.991)),
    0.001: ((0.924, 0.983), (0.756, 0.982), (0.958, 0.989), (0.806, 0.989)),
    0.01: ((0.936, 0.982), (0.779, 0.981), (0.961, 0.984), (0.826, 0.985)),
    0.1: ((0.952, 0.971), (0.814, 0.969), (0.967, 0.970), (0.851, 0.972)),
}
"""Recall and precision of the paper's own method, one pair per quadrant."""

AT_PRECISION_95 = {"AVH": (0.958, 0.827, 0.971, 0.870), "LOF": (0.916, 0.753, 0.953, 0.557)}
"""Best recall at a precision of at least 0.95, by quadrant: theirs and the best rival."""

RIVALS = {
    "health_esn": (0.905, 0.948),
    "telemanom": (0.875, 0.959),
    "one_class_svm": (0.930, 0.869),
    "azure_anomaly_detector": (0.822, 0.905),
    "k_means_ad": (0.66, 0.98),
    "mad": (0.958, 0.816),
    "avg_knn": (0.918, 0.846),
    "ks": (0.902, 0.884),
    "tfdv": (0.688, 0.801),
    "deequ": (0.273, 0.960),
    "ecod": (0.853, 0.728),
    "isolation_forest": (0.826, 0.699),
    "cof": (0.479, 0.574),
    "lstm_ad": (0.654, 0.788),
    "sequential_dependency": (0.868, 0.522),
    "order_dependency": (0.895, 0.503),
    "denial_constraints": (0.547, 0.536),
    "fd_upper_bound": (0.062, 1.0),
}
"""Recall and precision at the best F1 on Real numeric."""

BY_TYPE = {
    "numeric": {
        "schema change": 0.63,
        "unit change": 0.83,
        "increased nulls": 0.78,
        "volume change": 0.85,
        "distribution change": 0.93,
        "character perturbation": 0.56,
        "character insertion": 0.98,
        "character deletion": 0.53,
    },
    "categorical": {
        "schema change": 0.93,
        "increased nulls": 0.98,
        "volume change": 0.89,
        "distribution change": 0.90,
        "character perturbation": 0.85,
        "character insertion": 0.94,
        "character deletion": 0.94,
    },
}
"""Recall by type of fault, Synthetic, at a budget of 1 %."""

CLAUSES = {"numeric": (3, 2.62), "categorical": (2, 2.15)}
"""Median and mean number of clauses of a program, on Real."""

SECONDS_AT_100K_ROWS = 1.6
"""To judge one run of a column."""
