// Whatever the bytes of a CSV file, loading it gives columns or throws an `Error`; strings are what reading character by character gives; and
// what was loaded is saved and loaded again as it was.

#include "memory_file.hpp"

#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>

#include <csv/csv_oracle.hpp>
#include <support/temporary.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace pv = purview;

namespace {

using fuzz::require;
using fuzz::tried;

void check_round_trip(const std::string& path, char delimiter) {
    const auto table = tried([&] { return pv::load_csv(path, {.delimiter = delimiter}); });
    if (!table) return;
    static const temporary::Folder folder;
    static const std::string saved = folder / "saved.csv";
    pv::save_csv(saved, *table);
    const std::string text = temporary::content(saved);
    pv::CsvOptions same_types;
    for (const pv::CsvColumn& column : *table)
        same_types.types.emplace(column.name, column.dtype());
    const pv::CsvColumns again = pv::load_csv(saved, same_types);
    require(again.rows() == table->rows() && again.size() == table->size(),
            "a table that is saved keeps its rows and columns");
    pv::save_csv(saved, again);
    require(temporary::content(saved) == text, "what was saved and loaded is saved as it was");
}

void check_strings(const std::string& path, std::string_view text) {
    // The marks of UTF-16 and UTF-32, which the oracle does not read (text_encodings_test.cpp does).
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return;
    if (text.starts_with(std::string_view("\0\0\xFE\xFF", 4))) return;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    auto records = csv_oracle::records(text);
    if (records && !records->empty() && records->front().size() == 1)
        records = csv_oracle::records(text, ',', '"', true);
    const std::size_t width = records && !records->empty() ? records->front().size() : 0;
    pv::CsvOptions options{.header = false};
    for (std::size_t c = 0; c < width; ++c)
        options.types.emplace(std::to_string(c), pv::kDType<std::string>);
    bool is_good = width > 0;
    if (records)
        for (const auto& record : *records) is_good = is_good && record.size() == width;
    const auto table = tried([&] { return pv::load_csv(path, options); });
    require(table.has_value() == is_good, "files are good or bad as characters one by one say");
    if (!table) return;
    require(table->rows() == static_cast<pv::index_t>(records->size()), "all records are rows");
    std::size_t c = 0;
    for (const pv::CsvColumn& column : *table) {
        const pv::Tensor<std::string> values = column.as<std::string>();
        for (pv::index_t row = 0; row < table->rows(); ++row)
            require(values.read(row) == (*records)[static_cast<std::size_t>(row)][c].text,
                    "strings are what characters one by one say");
        ++c;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::MemoryFile file("csv_fuzz");
    file.assign(std::as_bytes(std::span(data, size)));
    check_round_trip(file.path(), ',');
    check_round_trip(file.path(), ';');
    tried([&] {
        return pv::load_csv(
            file.path(),
            {.delimiter = ';', .decimal = ',', .thousands = '.', .comment = '#', .skip_rows = 1});
    });
    check_strings(file.path(), {reinterpret_cast<const char*>(data), size});
    return 0;
}
