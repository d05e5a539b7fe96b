/// A table in a text file: columns of inferred types, gaps as masks, one more column, and what is saved is loaded again.

#include "check.hpp"

#include <purview/chrono.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>
#include <purview/purview.hpp>

#include <fstream>
#include <iostream>

namespace pv = purview;

int main() {
    std::ofstream("sales.csv") << "city,day,quantity,price\n"
                                  "Graz,2020-02-28,3,1.5\n"
                                  "\"Wien, West\",2020-02-29,,2.25\n"
                                  "Graz,2020-03-01,4,2\n";
    // [table]
    const auto sales = pv::load_csv("sales.csv", {.fills = {{"quantity", "0"}}});
    auto day =
        sales.get<std::chrono::sys_days>("day"); // tensors [rows], of types that were inferred
    auto quantity = sales.get<std::int64_t>("quantity"); // where it is missing: 0, as `fills` says
    auto is_known = !sales["quantity"].missing;          // and false in this mask
    auto turnover = quantity * sales.get<double>("price");
    auto [cities, sums] =
        pv::group_by_reduce(sales.get<std::string>("city"), turnover | pv::clone, pv::sum);
    pv::save_csv("turnover.csv", {{"month", pv::month_of(day)}, {"turnover", turnover}});
    std::cout << sales; // an aligned table, of long ones the first and the last rows
    // [/table]

    check(pv::to_vector(is_known) == std::vector<bool>{true, false, true}, "one is missing");
    check(pv::to_vector(cities) == std::vector<std::string>{"Graz", "Wien, West"}, "two cities");
    check(pv::to_vector(sums) == std::vector<double>{12.5, 0}, "what they sold");
    const auto again = pv::load_csv("turnover.csv", {.types = {{"month", pv::int32}}});
    check(pv::equals(again.get<std::int32_t>("month"), pv::month_of(day)), "months come back");
    check(pv::equals(again.get<double>("turnover"), turnover), "and numbers, to the last bit");
    return exit_status();
}
