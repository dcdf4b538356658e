"""The references of pages other than those of the methods, each written once."""

from __future__ import annotations

AMBROISE = (
    "Ambroise C, McLachlan GJ. Selection bias in gene extraction on the basis of microarray gene-expression "
    "data. Proceedings of the National Academy of Sciences 99(10):6562–6566, 2002."
)
BENJAMINI = (
    "Benjamini Y, Hochberg Y. Controlling the false discovery rate: a practical and powerful approach to "
    "multiple testing. Journal of the Royal Statistical Society B 57(1):289–300, 1995."
)
BREIMAN = "Breiman L. Random forests. Machine Learning 45(1):5–32, 2001."
CORTES = "Cortes C, Vapnik V. Support-vector networks. Machine Learning 20(3):273–297, 1995."
COVER = (
    "Cover T, Hart P. Nearest neighbor pattern classification. IEEE Transactions on Information Theory "
    "13(1):21–27, 1967."
)
COX = (
    "Cox DR. The regression analysis of binary sequences. Journal of the Royal Statistical Society B "
    "20(2):215–242, 1958."
)
FAN = (
    "Fan R-E, Chang K-W, Hsieh C-J, Wang X-R, Lin C-J. LIBLINEAR: a library for large linear classification. "
    "Journal of Machine Learning Research 9:1871–1874, 2008."
)
GUYON = (
    "Guyon I, Weston J, Barnhill S, Vapnik V. Gene selection for cancer classification using support vector "
    "machines. Machine Learning 46:389–422, 2002."
)
HOERL = (
    "Hoerl AE, Kennard RW. Ridge regression: biased estimation for nonorthogonal problems. Technometrics "
    "12(1):55–67, 1970."
)
KURSA = (
    "Kursa MB, Rudnicki WR. Feature selection with the Boruta package. Journal of Statistical Software "
    "36(11):1–13, 2010."
)
NOGUEIRA = (
    "Nogueira S, Sechidis K, Brown G. On the stability of feature selection algorithms. Journal of Machine "
    "Learning Research 18(174):1–54, 2018."
)
PEDREGOSA = (
    "Pedregosa F, Varoquaux G, Gramfort A, et al. Scikit-learn: machine learning in Python. Journal of "
    "Machine Learning Research 12:2825–2830, 2011."
)
ROBNIK = (
    "Robnik-Šikonja M, Kononenko I. Theoretical and empirical analysis of ReliefF and RReliefF. Machine "
    "Learning 53:23–69, 2003."
)
TIBSHIRANI = (
    "Tibshirani R. Regression shrinkage and selection via the lasso. Journal of the Royal Statistical "
    "Society B 58(1):267–288, 1996."
)
VARMA = (
    "Varma S, Simon R. Bias in error estimation when using cross-validation for model selection. BMC "
    "Bioinformatics 7:91, 2006."
)
