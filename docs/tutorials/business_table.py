"""
A mixed business table in a pipeline
====================================

Numbers, categories, missing values, a column that must not be there, a column that must: customer churn,
from the table
to a model with an honest error.
"""

# %%
# The table
# ---------
# 2,000 customers. Churn depends on the contract, the tenure, support calls (of which some are missing) and
# the age in a U-shape; all other columns are noise or repeat these.

import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from qpfs import QPFS
from qpfs.information import Rank

rng = np.random.default_rng(1)
n = 2000
contract = rng.choice(["monthly", "yearly", "two years"], n, p=[0.5, 0.3, 0.2])
tenure = rng.gamma(2, 12, n)
calls = rng.poisson(1.5, n).astype(float)
age = rng.integers(18, 80, n)
risk = 1.2 * (contract == "monthly") - 0.04 * tenure + 0.5 * calls + 0.002 * (age - 48.0) ** 2 - 1.5
churn = rng.random(n) < 1 / (1 + np.exp(-risk))
calls[rng.random(n) < 0.1] = np.nan
X = pd.DataFrame(
    {
        "customer_id": rng.permutation(n),
        "contract": contract,
        "tenure_months": tenure,
        "total_paid": tenure * rng.normal(30, 3, n),
        "support_calls": calls,
        "age": age,
        "region": rng.choice(list("ABCDEFGH"), n),
        "channel": rng.choice(["web", "shop", "phone"], n),
        "closing_fee": np.where(churn, rng.normal(50, 5, n), 0.0),
    }
)
for i in range(20):
    X[f"score_{i}"] = rng.normal(size=n)
y = np.where(churn, "left", "stayed")

# %%
# A column that gives the answer away
# -----------------------------------
# A fit warns if one column alone almost predicts the target. ``closing_fee`` is charged when a customer
# leaves: it is known only afterwards. An identifier is no feature either. Drop both from the table.

with warnings.catch_warnings(record=True) as noted:
    warnings.simplefilter("always")
    QPFS(5).fit(X, y)
print(*[one.message for one in noted], sep="\n")
X = X.drop(columns=["closing_fee", "customer_id"])

# %%
# Text is taken as categories and missing numbers carry no information, so the table needs no preparation.

selector = QPFS(5).fit(X, y)
print(selector.to_frame()[["feature", "relevance", "qvalue", "reason"]].head(8).to_string())

# %%
# Two of the five are no more relevant than chance (see their q values): five were asked for, and only three
# are supported. ``fdr=0.05`` would leave these out. ``total_paid`` is left out for another reason:

frame = selector.to_frame().set_index("feature")
print("total_paid:", frame.loc["total_paid", "reason"])

# %%
# ``age`` was not selected although it matters, because both the young and the old leave: ranks see only
# trends. A second degree sees U-shapes, too. With ``fdr=0.05`` about one in twenty of the features that pass
# may still be noise, such as a score here.

bent = QPFS(5, measure=Rank(degree=2), fdr=0.05).fit(X, y)
print(bent.to_frame()[["feature", "relevance", "qvalue"]].head(5).to_string())

# %%
# Columns that must be in or out
# ------------------------------
# The marketing department insists on the region; the scores must not be used. With fewer columns to choose
# from, one that repeats another can take a place that would otherwise be empty.

panel = QPFS(5, keep=["region"], exclude=["score_*"]).fit(X, y)
print(X.columns[panel.order_[:5]].tolist())

# %%
# In a pipeline
# -------------
# The selector comes first and returns a data frame; encoding and scaling follow, for the selected columns
# alone. How many columns are best is chosen by a grid search, and the whole search is judged by an outer
# cross-validation: the selection never sees the samples that it is tested on.

prepare = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include="number")),
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
)
first = QPFS(measure=Rank(degree=2)).set_output(transform="pandas")
model = make_pipeline(first, prepare, LogisticRegression(class_weight="balanced"))
search = GridSearchCV(model, {"qpfs__n_features_to_select": [2, 4, 8]}, cv=3, scoring="balanced_accuracy")
scores = cross_val_score(search, X, y, cv=3, scoring="balanced_accuracy")
print(f"balanced accuracy {scores.mean():.2f} +- {scores.std():.2f}")

# %%
# From the command line, if the table has a column ``status`` with the target:
#
# .. code-block:: console
#
#    $ qpfs select churn.csv --target status --drop customer_id --drop closing_fee \
#          --top 5 --check 5 --out churn
