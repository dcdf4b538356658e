"""The site: pages in Markdown, an API reference from the packages' own names, a gallery that is run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_extensions"))

import api_pages  # noqa: E402

import qpfs  # noqa: E402

project = "qpfs"
author = "The qpfs developers"
project_copyright = author
version = release = qpfs.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "sphinx_design",
    "docstrings",
    "mathml",
    "repository_links",
]
exclude_patterns = ["_build", "gallery/**", "tutorials/**", "_extensions/**"]
templates_path = ["_templates"]
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!qpfs\.).*"),  # names of other packages are links only with inventories
    ("py:class", r"qpfs\.(groups|arrays)\..*"),  # of annotations; not public
]
suppress_warnings = ["config.cache"]

# Without a network names of other packages are text; with QPFS_DOCS_INTERSPHINX=1 they are links.
intersphinx_mapping = (
    {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
        "pandas": ("https://pandas.pydata.org/docs", None),
    }
    if os.environ.get("QPFS_DOCS_INTERSPHINX")
    else {}
)

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 4
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autosummary_generate = True
autosummary_filename_map = api_pages.file_names()
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
html_math_renderer = "mathml"

sphinx_gallery_conf = {
    "examples_dirs": ["gallery", "tutorials"],
    "gallery_dirs": ["auto_gallery", "auto_tutorials"],
    "default_thumb_file": str(DOCS / "_static" / "thumb.svg"),
    "within_subsection_order": "gallery_order.Order",
    "filename_pattern": "",  # all are run
    "copyfile_regex": r".*\.(rst|csv)",
    "doc_module": ("qpfs",),
    "reference_url": {"qpfs": None},
    "backreferences_dir": "api/examples",
    "min_reported_time": float("inf"),  # times of one machine say nothing
    "write_computation_times": False,
    "show_memory": False,
    "remove_config_comments": True,
    "download_all_examples": False,
    "matplotlib_animations": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"qpfs {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": "qpfs"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "navigation_with_keys": False,
}
html_sidebars = {"start": [], "index": []}

api_pages.write(DOCS / "api")
