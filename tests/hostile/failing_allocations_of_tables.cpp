// Files of purview::csv and purview::image.
#include "hostile/allocation_cases.hpp"
#include "hostile/check.hpp"

#include <purview/chrono.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>
#include <purview/image/load_image.hpp>
#include <purview/image/save_image.hpp>
#include <purview/purview.hpp>
#include <support/temporary.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace pv = purview;
using hostile::check;

int main() {
    const temporary::Folder folder;
    hostile::AllocationCases add;
    const std::vector<std::string> names{"one", "a longer text, quoted", ""};
    const auto days = pv::tensor({std::chrono::sys_days{std::chrono::days{19'000}},
                                  std::chrono::sys_days{std::chrono::days{19'001}},
                                  std::chrono::sys_days{std::chrono::days{19'002}}});
    const std::string csv = folder / "x.csv";
    add("csv", [=] {
        pv::save_csv(csv, {{"name", names}, {"day", days}, {"price", pv::tensor({1.5, 2., 3.})}});
        const pv::CsvColumns columns = pv::load_csv(csv);
        check(columns.rows() == 3 && columns.size() == 3, "the shape of the table");
        check(pv::sum(columns.get<double>("price")) == 6.5, "numbers");
        check(columns.get<std::string>("name")(1) == names[1], "text");
        check(columns.get<std::chrono::sys_days>("day")(2) == days(2), "days");
    });
    const auto image = pv::clone(
        pv::cast<std::uint8_t>(pv::reshape(pv::arange(0, 40 * 30 * 3), {40, 30, 3}) % 256));
    const std::string png = folder / "x.png";
    add("png", [=] {
        pv::save_png(png, image);
        check(pv::equals(pv::load_rgb(png), image), "the picture");
    });
    add.fail_all(100);
}
