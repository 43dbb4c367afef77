"""The cells of a table know their column's title, which a phone shows beside them."""

from markupsafe import Markup

from ashd.web.rendering import titled_cells


def test_each_cell_has_the_title_of_its_column() -> None:
    """A number's mark is no part of the title, and a title's own quotes are escaped."""
    rows = Markup('<tr><td>a</td><td class="number">1</td></tr><tr><td>b</td><td>2</td></tr>')

    assert titled_cells(rows, ['"Who"', "#Count"]) == (
        '<tr><td data-title="&#34;Who&#34;">a</td><td data-title="Count" class="number">1</td></tr>'
        '<tr><td data-title="&#34;Who&#34;">b</td><td data-title="Count">2</td></tr>'
    )


def test_table_inside_a_cell_keeps_its_own_titles() -> None:
    """The cell after it has the title of the outer table's next column."""
    inner = '<table><tbody><tr><td data-title="In">x</td></tr></tbody></table>'
    rows = Markup(f"<tr><td>a</td><td>{inner}</td><td>c</td></tr>")

    assert titled_cells(rows, ["1", "2", "3"]) == (
        f'<tr><td data-title="1">a</td><td data-title="2">{inner}</td>'
        '<td data-title="3">c</td></tr>'
    )
