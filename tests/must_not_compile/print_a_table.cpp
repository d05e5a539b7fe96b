// expect: a table is printed column by column: std::cout << column.name << column.values
// at most 15 lines

#include <purview/csv/csv_columns.hpp>
#include <purview/purview.hpp>

#include <iostream>

int main() {
    const purview::CsvColumns table;
    std::cout << table.size();
#ifdef MUST_NOT_COMPILE
    std::cout << table;
#endif
}
