"""The fixtures of lab_page, where Playwright is installed."""
try:
    from lab_page import browser, lab, lab_folder, page  # noqa: F401
except BaseException as error:  # what pytest.importorskip raises
    if type(error).__name__ != "Skipped":
        raise
