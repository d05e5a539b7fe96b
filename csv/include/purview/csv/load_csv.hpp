#pragma once

#include <purview/csv/csv_columns.hpp>
#include <purview/csv/export.hpp>
#include <purview/dtype/dtype.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// How a file is read. `{.delimiter = ';', .types = {{"day", kDType<std::chrono::sys_days>}}}`.
struct CsvOptions {
    char delimiter = ','; ///< no letter, digit, sign or point
    char quote = '"';
    bool header = true;               ///< whether the first record says the names
    std::vector<std::string> names{}; ///< instead of those; without either they are "0", "1", …
    /// Types by name: built-in ones, `std::string`, and of `std::chrono`, in weeks, days, hours, minutes, seconds, milliseconds, microseconds
    /// and nanoseconds, `sys_time`, `local_time` and durations, which are written with their unit: `90s`, `3d`, `5min`. The others are inferred.
    std::map<std::string, DType, std::less<>> types{};
    /// What is read, by name, where a column is missing something: `{{"quantity", "0"}}`. Integers and bools that are missing need it.
    std::map<std::string, std::string, std::less<>> fills{};
    /// Fields that say that something is missing; in a column of strings only empty ones do, and those in quotes do not.
    std::vector<std::string> gaps{"", "NA", "N/A", "null", "NULL"};
    index_t most_columns = 1 << 16; ///< as files come from outside
    /// What stands before the fraction of a number: ',' in German files, whose delimiter is ';'. A number with another one is a string.
    char decimal = '.';
    /// What groups the digits of numbers, if anything: "1.234.567" with '.', "12,34,567" with ','. Groups of three digits, before the last also of two;
    /// others, and first ones that begin with 0, are no number, so that "1,5" does not become 15, nor "0,123" 123. The delimiter only groups numbers in quotes.
    char thousands = '\0';
    /// What begins a comment, if anything, as '#': the rest of the line behind it is not read, outside of quotes, nor are blanks between quotes and it, and lines that hold nothing else are none.
    char comment = '\0';
    index_t skip_rows =
        0; ///< lines before the header or the first record that are not read, whatever they hold
};

/// The columns of a CSV file (RFC 4180): records of fields, in lines that end with `\n`, `\r\n`, `\r` or `\r\r\n`. A field in quotes may hold delimiters, line ends
/// and doubled quotes. Empty lines are no records, unless there is one column. A byte-order mark of UTF-8 is skipped; a file behind one of UTF-16, of
/// either order, is copied as UTF-8 first, and half a character in it is an error, as is the mark of UTF-32. All other bytes are taken as they are.
///
/// A type that is not given is the first of these that every field of the column is: int64, uint64, float64, bool (`true`, `True`, `TRUE`, …),
/// days (`2020-02-29`), time points in seconds and in nanoseconds (ISO 8601, as `parse_time_point` has it), strings; float64 where all are missing. Times with an
/// offset beside some without are strings, or an error if their type is given; so are integers that neither 64-bit type holds, unless there are floats among them. Blanks
/// around numbers, bools and times are skipped.
///
/// What is missing is true in the column's mask, and in its values what `fills` says, else NaN, an empty string, or NaT (`is_nat`), the lowest time point or duration; never 0 or false. So integers whose type is not given are read as float64 where some are missing, if all fit it exactly. If not, and for bools, and
/// where integers are the type given, what is missing is an error that asks for `fills`.
///
/// The file is mapped, and parsed on as many threads as pay; once more for columns whose first 100 rows looked like a narrower type. Eager, O(bytes).
/// Numbers with `decimal` or `thousands` take about 30 ns more each; text with comments is copied first. `fills` and `gaps` are written as the file is.
/// Throws `FormatError` naming the path, the line, the column and what stands there: for a field that is not of the type given, a gap that needs a fill,
/// more or fewer fields than columns, a quote that is not closed or has text behind it, two columns of one name, more columns than allowed, a file without any, a name in the options that no
/// column has; `DtypeError` for other types; `Error` for marks that cannot be what they are given as,
/// and for two that are one character. Memory is taken only for records that were counted.
PURVIEW_CSV_EXPORT CsvColumns load_csv(const std::string& path, const CsvOptions& options = {});

} // namespace purview
