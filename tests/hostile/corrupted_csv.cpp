#include "hostile/check.hpp"
#include "hostile/corruption.hpp"

#include <purview/csv/load_csv.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <support/temporary.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <string>

namespace pv = purview;

namespace {

constexpr int kEach = 1200;

/// Columns of every type that is inferred, gaps, quotes with delimiters and line ends in them, and a last line without an end.
std::string table(char delimiter) {
    std::string text = "id,name,\"price, in all\",is open,day,time\r\n";
    for (int row = 0; row < 25; ++row) {
        const std::string number = std::to_string(row);
        text +=
            number + (row % 5 == 1 ? ",NA," : ",\"a \"\"quoted\"\", one\",") + number + ".5e-1,";
        text += row % 2 == 0 ? "true," : "false,";
        text += "2024-02-" + std::to_string(10 + row % 19) +
                ",2024-02-10T10:00:" + std::to_string(10 + row) + (row % 7 == 0 ? "\r\n" : "\n");
    }
    text += "25,\"two\nlines\",,true,2024-03-01,2024-03-01T00:00:00";
    for (char& c : text)
        if (c == ',') c = delimiter;
    return text;
}

void read_whole(const std::string& path, const pv::CsvOptions& options) {
    const pv::CsvColumns columns = pv::load_csv(path, options);
    hostile::check(columns.size() > 0, "there are columns");
    for (const pv::CsvColumn& column : columns) {
        hostile::check(column.rows() == columns.rows() && column.missing.size() == columns.rows(),
                       "columns are of one length");
        const pv::index_t gaps = pv::sum(column.missing);
        hostile::check(gaps >= 0 && gaps <= columns.rows(), "every gap can be read");
        if (column.dtype() == pv::kDType<std::string>)
            for (const std::string& text : column.as<std::string>())
                hostile::check(text.size() < 100'000, "every text can be read");
    }
}

} // namespace

/// Loads CSV files of which some bytes have been changed.
int main() {
    const temporary::Folder folder;
    const std::string path = folder / "x";
    const auto reads = [&path](const pv::CsvOptions& options) {
        return [&path, options](const std::string& bytes) {
            read_whole(temporary::write_file(path, bytes), options);
        };
    };
    const std::map<std::string, std::string, std::less<>> fills{{"is open", "false"}};
    hostile::feed(table(','), reads({.fills = fills}), kEach);
    hostile::feed(table(';'), reads({.delimiter = ';', .fills = fills, .gaps = {"", "NA", "2"}}),
                  kEach);
    pv::CsvOptions given;
    given.types = {{"id", pv::kDType<std::uint8_t>},
                   {"price, in all", pv::kDType<float>},
                   {"day", pv::kDType<std::chrono::sys_days>}};
    given.fills = {{"name", "nobody"}, {"is open", "false"}};
    given.most_columns = 8;
    hostile::feed(table(','), reads(given), kEach);
    hostile::feed(table(','), reads({.header = false}), kEach);
    return 0;
}
