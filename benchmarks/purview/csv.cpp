/// A table in a text file. What is compared of it is the product of two columns.

#include "inputs.hpp"

#include <purview/chrono.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr pv::index_t kRows = 1'000'000;

const Cases csv([] {
    add("read_csv/1000000/float64", [] {
        const auto path = std::filesystem::temp_directory_path() / "purview_benchmark.csv";
        const auto ids = pv::empty<std::int64_t>({kRows});
        fill_random_indexes(pv::as_span(ids).data(), std::size_t{kRows}, 1'000'000'000);
        std::vector<std::string> cities;
        for (const std::int64_t id : ids) cities.emplace_back(kCities[id % 8]);
        const auto days = pv::from_ticks<std::chrono::sys_days>(
            (ids % 9000 + 10'957) | pv::cast<pv::Canonical<std::chrono::days::rep>>);
        pv::save_csv(path, {{"id", ids},
                            {"price", random_tensor({kRows}, 1)},
                            {"quantity", random_tensor({kRows}, 2)},
                            {"city", cities},
                            {"day", days}});
        const auto run = [=] { return pv::load_csv(path); };
        return Task{run, [=] {
                        const pv::CsvColumns table = run();
                        return summary_of(pv::Tensor<double>(table.get<double>("price") *
                                                             table.get<double>("quantity")));
                    }};
    });
});

} // namespace
