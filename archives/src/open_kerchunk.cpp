#include <purview/archives/open_kerchunk.hpp>

#include "base/descriptor.hpp"
#include "io/read_file.hpp"
#include "text/json.hpp"

#include <purview/base/errors.hpp>
#include <purview/zarr.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace purview::inline v0_1 {
namespace {

namespace fs = std::filesystem;

/// Bytes of a file; all of them where no length is said.
struct Range {
    std::string path;
    index_t offset = 0;
    std::optional<index_t> bytes;
};
using Reference = std::variant<Store::Bytes, Range>;

Store::Bytes bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

Store::Bytes base64_decoded(std::string_view text, const std::string& where) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<int, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kDigits.size(); ++i)
        values[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
    while (text.ends_with('=')) text.remove_suffix(1);
    Store::Bytes bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const int value = values[static_cast<unsigned char>(c)];
        if (value < 0) throw FormatError(fmt::format("{}: is no base64", where));
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
    }
    return bytes;
}

/// The text with each `{{name}}` filled in.
std::string filled(std::string_view text, const Json::Value& templates, const std::string& where) {
    std::string result;
    for (std::size_t begin = text.find("{{"); begin != std::string_view::npos;
         begin = text.find("{{")) {
        const std::size_t end = text.find("}}", begin);
        std::string name(
            text.substr(begin + 2, end == std::string_view::npos ? 0 : end - begin - 2));
        name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
        if (end == std::string_view::npos || !templates.isObject() || !templates[name].isString())
            throw FormatError(fmt::format("{}: there is no template for '{}'", where, text));
        result += text.substr(0, begin);
        result += templates[name].asString();
        text.remove_prefix(end + 2);
    }
    return result += text;
}

class KerchunkStore final : public Store {
public:
    explicit KerchunkStore(const std::string& path)
        : where_(fmt::format("open_kerchunk: '{}'", path)), path_(path) {
        const file::ReadFile file(where_, path);
        if (!file) throw FormatError(fmt::format("{}: there is no such file", where_));
        Bytes text(static_cast<std::size_t>(file.size_bytes()));
        file.read(0, text);
        const Json::Value json = zarr::parse_json(text, where_);
        folder_ = fs::path(file::whole_path("open_kerchunk", "open", path)).parent_path();
        // Version 0 is the references alone.
        const bool is_versioned = json.isMember("version") && json.isMember("refs");
        if (is_versioned && json.isMember("gen") && !json["gen"].empty())
            throw FormatError(fmt::format("{}: has references that are generated ('gen')", where_));
        const Json::Value& references =
            is_versioned ? zarr::object_of(json["refs"], "refs", where_) : json;
        const Json::Value templates = is_versioned ? json["templates"] : Json::Value();
        for (auto entry = references.begin(); entry != references.end(); ++entry)
            references_.emplace(entry.name(),
                                reference_of(*entry, templates, where_of(entry.name())));
    }

    std::string name() const override { return fmt::format("'{}'", path_); }

    std::optional<Bytes> get(const std::string& key) const override {
        return read(key, [](index_t size) { return ByteRange{0, size}; });
    }
    std::optional<Bytes> get(const std::string& key, ByteRange range) const override {
        return read(key, [&](index_t size) {
            const index_t begin = range.offset < 0 ? std::max<index_t>(0, size + range.offset)
                                                   : std::min(range.offset, size);
            return ByteRange{begin, std::min(range.bytes, size - begin)};
        });
    }
    std::optional<index_t> size(const std::string& key) const override {
        const auto found = references_.find(key);
        if (found == references_.end()) return std::nullopt;
        if (const auto* const bytes = std::get_if<Bytes>(&found->second))
            return static_cast<index_t>(bytes->size());
        const Range& range = std::get<Range>(found->second);
        return range.bytes ? *range.bytes : opened(key, range).size_bytes() - range.offset;
    }
    std::vector<std::string> list(const std::string& prefix) const override {
        const std::string begin = prefix.empty() ? "" : prefix + "/";
        std::vector<std::string> parts;
        for (auto entry = references_.lower_bound(begin);
             entry != references_.end() && entry->first.starts_with(begin); ++entry) {
            const std::string_view rest = std::string_view(entry->first).substr(begin.size());
            const std::string_view part = rest.substr(0, rest.find('/'));
            if (parts.empty() || parts.back() != part) parts.emplace_back(part);
        }
        std::sort(parts.begin(), parts.end());
        parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
        return parts;
    }

private:
    std::string where_of(const std::string& key) const {
        return fmt::format("{}, '{}'", where_, key);
    }

    Reference reference_of(const Json::Value& value, const Json::Value& templates,
                           const std::string& where) const {
        if (value.isObject()) return bytes_of(zarr::json_text(value));
        if (value.isString()) {
            const std::string text = value.asString();
            constexpr std::string_view kBase64 = "base64:";
            return text.starts_with(kBase64)
                       ? base64_decoded(std::string_view(text).substr(kBase64.size()), where)
                       : bytes_of(text);
        }
        if (!value.isArray() || (value.size() != 1 && value.size() != 3))
            throw FormatError(fmt::format("{}: is neither a text nor a part of a file", where));
        Range range;
        range.path = filled(zarr::text_of(value[0], "a path", where), templates, where);
        if (range.path.starts_with("file://")) range.path.erase(0, 7);
        if (range.path.find("://") == std::string::npos && !fs::path(range.path).is_absolute())
            range.path = (folder_ / range.path).string();
        if (value.size() == 3) {
            constexpr index_t kMost = index_t{1} << 62;
            range.offset = zarr::integer_of(value[1], "an offset", 0, kMost, where);
            range.bytes = zarr::integer_of(value[2], "a length", 0, kMost, where);
        }
        return range;
    }

    /// The file of a reference, in which its bytes lie.
    file::ReadFile opened(const std::string& key, const Range& range) const {
        const std::string where = where_of(key);
        if (range.path.find("://") != std::string::npos)
            throw FormatError(fmt::format("{}: '{}' is not a local file", where, range.path));
        file::ReadFile file(where, range.path);
        if (!file) throw FormatError(fmt::format("{}: there is no file '{}'", where, range.path));
        if (range.offset > file.size_bytes() ||
            range.bytes.value_or(0) > file.size_bytes() - range.offset)
            throw FormatError(fmt::format("{}: {} bytes at {} lie beyond the {} of '{}'", where,
                                          range.bytes.value_or(0), range.offset, file.size_bytes(),
                                          range.path));
        return file;
    }

    template <typename Part>
    std::optional<Bytes> read(const std::string& key, const Part& part_of) const {
        const auto found = references_.find(key);
        if (found == references_.end()) return std::nullopt;
        if (const auto* const bytes = std::get_if<Bytes>(&found->second)) {
            const ByteRange part = part_of(static_cast<index_t>(bytes->size()));
            return Bytes(bytes->begin() + part.offset, bytes->begin() + part.offset + part.bytes);
        }
        const Range& range = std::get<Range>(found->second);
        const file::ReadFile file = opened(key, range);
        const ByteRange part = part_of(range.bytes.value_or(file.size_bytes() - range.offset));
        Bytes bytes(static_cast<std::size_t>(part.bytes));
        file.read(range.offset + part.offset, bytes);
        return bytes;
    }

    std::string where_;
    std::string path_;
    fs::path folder_;
    std::map<std::string, Reference> references_;
};

} // namespace

std::shared_ptr<Store> kerchunk_store(const std::string& path) {
    return std::make_shared<KerchunkStore>(path);
}

StoredGroup open_kerchunk(const std::string& path) { return open_zarr_group(kerchunk_store(path)); }

} // namespace purview
