#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// RFC 4180 and the line ends "\r" and "\r\r\n", character by character, without cleverness.
namespace csv_oracle {

struct Field {
    std::string text;
    bool quoted = false;
    bool operator==(const Field&) const = default;
};
using Record = std::vector<Field>;

/// The records of a text; nothing where quotes are broken. Empty lines are left out but for texts of one column.
inline std::optional<std::vector<Record>> records(std::string_view text, char delimiter = ',',
                                                  char quote = '"', bool one_column = false) {
    std::vector<Record> result;
    Record record;
    std::size_t i = 0;
    while (i < text.size()) {
        Field field;
        if (text[i] == quote) {
            field.quoted = true;
            for (++i;; ++i) {
                if (i == text.size()) return std::nullopt;
                if (text[i] != quote) {
                    field.text += text[i];
                } else if (i + 1 < text.size() && text[i + 1] == quote) {
                    field.text += text[i++];
                } else {
                    break;
                }
            }
            ++i;
            const std::string_view rest = text.substr(i);
            if (!rest.empty() && rest[0] != delimiter && rest[0] != '\n' && rest[0] != '\r')
                return std::nullopt;
        } else {
            while (i < text.size() && text[i] != delimiter && text[i] != '\n' && text[i] != '\r')
                field.text += text[i++];
        }
        record.push_back(field);
        if (i < text.size() && text[i] == delimiter) {
            if (++i == text.size()) {
                record.emplace_back();
                result.push_back(record);
                return result;
            }
            continue;
        }
        if (text.substr(i).starts_with("\r\r\n"))
            i += 3;
        else
            i += text.substr(i).starts_with("\r\n") ? 2 : 1;
        if (one_column || record != Record{Field{}}) result.push_back(record);
        record.clear();
    }
    return result;
}

} // namespace csv_oracle
