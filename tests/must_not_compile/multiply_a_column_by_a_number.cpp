// expect: a column of a table is values and gaps: compute with its values, as table.get<double>(
// at most 15 lines

#include <purview/csv/csv_columns.hpp>
#include <purview/purview.hpp>

int main() {
    const purview::CsvColumns table{{"p", purview::tensor({1.5, 2.})}};
    const auto good = table.get<double>("p") * 2.0;
#ifdef MUST_NOT_COMPILE
    const auto bad = table["p"] * 2.0;
#endif
}
