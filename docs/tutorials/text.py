"""
Text: a sparse matrix of words
==============================

Which words distinguish two kinds of messages? Sparse matrices are used unchanged; zeros are never filled
in.
"""

# %%
# The messages
# ------------
# 600 made-up messages on two topics. Words of a topic come in pairs that nearly always occur together
# ("heart" with "cardiac"), so a ranking by relevance alone lists pairs.

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2

from qpfs import MRMR, QPFS

rng = np.random.default_rng(0)
pairs = {
    "medicine": ["heart cardiac", "blood serum", "nurse ward", "fever flu"],
    "space": ["orbit satellite", "moon lunar", "rocket launch", "star telescope"],
}
common = [f"word{i}" for i in range(3000)]
messages, topics = [], []
for _ in range(600):
    topic = str(rng.choice(list(pairs)))
    words = list(rng.choice(common, 40))
    for other, some in pairs.items():
        for pair in some:
            if rng.random() < (0.35 if other == topic else 0.05):
                words += [word for word in pair.split() if rng.random() < 0.9]
    messages.append(" ".join(words))
    topics.append(topic)
vectorizer = CountVectorizer(binary=True)
X = vectorizer.fit_transform(messages)
words = vectorizer.get_feature_names_out()
print(type(X).__name__, X.shape, f"{X.nnz / np.prod(X.shape):.1%} of the entries are stored")

# %%
# Relevance alone, and with redundancy
# ------------------------------------
# A test of each word alone selects both words of a pair. mRMR and QPFS select one, and reach all eight
# pairs sooner.


def n_pairs(chosen):
    return sum(any(word in pair.split() for word in chosen) for some in pairs.values() for pair in some)


first = words[np.argsort(-SelectKBest(chi2, k=8).fit(X, topics).scores_)[:8]]
print("chi2: ", n_pairs(first), "of 8 pairs:", *first)
for method in (MRMR(8), QPFS(8)):
    first = words[method.fit(X, topics).order_[:8]]
    print(f"{type(method).__name__}:", n_pairs(first), "of 8 pairs:", *first)

# %%
# Words as counts of bins
# -----------------------
# For presence and absence, ``measure="mi"`` counts directly: a word is two categories. The answer has p
# values, too.

selector = QPFS(8, measure="mi", fdr=0.05).fit(X, topics)
print(*words[selector.order_[:8]])
print(int((selector.qvalues_ <= 0.05).sum()), "words have q <= 0.05; 16 were planted")

# %%
# What differs from dense tables: a value that is not stored is 0, not missing. ``transform`` returns a
# sparse matrix. An svmlight file works the same way from the command line: ``qpfs select messages.svm --top
# 8``.

print(selector.transform(X).shape)
