#include "file_list.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include <fnmatch.h>

namespace purview::inline v0_1::archives {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_pattern(std::string_view text) {
    return text.find_first_of("*?[") != std::string_view::npos;
}

/// The number at the begin of a text, without zeros in front, and its length with them.
struct Number {
    std::string_view digits;
    std::size_t length;
};
Number number_at(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && is_digit(text[length])) ++length;
    std::size_t zeros = 0;
    while (zeros + 1 < length && text[zeros] == '0') ++zeros;
    return {text.substr(zeros, length - zeros), length};
}

/// Adds what lies in `folder` and matches the parts of a pattern from `part` on.
void match(const fs::path& folder, const std::vector<std::string>& parts, std::size_t part,
           std::vector<std::string>& found) {
    std::error_code error;
    if (part == parts.size()) {
        if (fs::exists(folder, error)) found.push_back(folder.string());
        return;
    }
    const std::string& wanted = parts[part];
    if (!is_pattern(wanted)) {
        match(folder / wanted, parts, part + 1, found);
        return;
    }
    if (wanted == "**") match(folder, parts, part + 1, found);
    const fs::path listed = folder.empty() ? fs::path(".") : folder;
    for (fs::directory_iterator entry(listed, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (wanted == "**") {
            std::error_code unknown;
            // Links to folders above would lead on for ever.
            if (name[0] != '.' && entry->is_directory(unknown) && !entry->is_symlink(unknown))
                match(folder / name, parts, part, found);
        } else if (::fnmatch(wanted.c_str(), name.c_str(), FNM_PERIOD) == 0) {
            match(folder / name, parts, part + 1, found);
        }
    }
}

} // namespace

std::vector<std::string> expanded(const std::string& pattern) {
    std::error_code error;
    if (!is_pattern(pattern) || fs::exists(pattern, error)) return {pattern};
    std::vector<std::string> parts;
    const fs::path whole(pattern);
    for (const fs::path& part : whole.relative_path())
        if (!part.empty()) parts.push_back(part.string());
    std::vector<std::string> found;
    match(whole.root_path(), parts, 0, found);
    std::sort(found.begin(), found.end(),
              [](const std::string& a, const std::string& b) { return is_before(a, b); });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (found.empty())
        throw FormatError(fmt::format("open_many: there are no files '{}'", pattern));
    return found;
}

bool is_before(std::string_view a, std::string_view b) {
    const std::string_view whole_a = a;
    const std::string_view whole_b = b;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a[0]) && is_digit(b[0])) {
            const Number x = number_at(a);
            const Number y = number_at(b);
            if (x.digits.size() != y.digits.size()) return x.digits.size() < y.digits.size();
            if (x.digits != y.digits) return x.digits < y.digits;
            a.remove_prefix(x.length);
            b.remove_prefix(y.length);
        } else {
            if (a[0] != b[0])
                return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    if (a.empty() != b.empty()) return a.empty();
    return whole_a < whole_b;
}

std::vector<std::string_view> numbers_in(std::string_view text) {
    std::vector<std::string_view> numbers;
    while (!text.empty()) {
        if (!is_digit(text[0])) {
            text.remove_prefix(1);
            continue;
        }
        const Number number = number_at(text);
        numbers.push_back(number.digits);
        text.remove_prefix(number.length);
    }
    return numbers;
}

} // namespace purview::archives
