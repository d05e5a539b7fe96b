// A program that links purview::csv from outside: a table that is saved and loaded.
#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>
#include <purview/purview.hpp>

#include <string>
#include <vector>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({1.5, 2.5});
    pv::save_csv("consumer.csv", {{"x", x}, {"name", std::vector<std::string>{"a,b", "c"}}});
    const pv::CsvColumns table = pv::load_csv("consumer.csv");
    return pv::equals(table.get<double>("x"), x) && table.get<std::string>("name")(0) == "a,b" ? 0
                                                                                               : 1;
}
