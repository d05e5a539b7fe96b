// Whatever the bytes of metadata, of a chunk, of a shard or of a zip file: opening and reading gives elements or throws an
// `Error`, within the memory limit; what can be written is written, and read again as it was. The first byte says what the
// others are.

#include "memory_file.hpp"

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/io/cf_decoded.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pv = purview;
using fuzz::require;
using fuzz::tried;
using pv::index_t;

namespace {

constexpr index_t kLimit = index_t{1} << 20;
constexpr index_t kMostElements = 512; ///< of what is read whole

/// Metadata, and one value for each key of a chunk.
class OneChunkStore final : public pv::Store {
public:
    void put_text(const std::string& key, std::string_view text) {
        put(key, std::as_bytes(std::span(text)));
    }
    void set_chunk(std::string_view bytes) {
        const auto all = std::as_bytes(std::span(bytes));
        chunk_ = Bytes(all.begin(), all.end());
    }
    std::optional<Bytes> get(const std::string& key) const override {
        if (const auto found = values_.find(key); found != values_.end()) return found->second;
        return key.find('z') == key.npos ? chunk_ : std::nullopt;
    }
    std::optional<index_t> size(const std::string& key) const override {
        const auto value = get(key);
        return value ? std::optional<index_t>(std::ssize(*value)) : std::nullopt;
    }
    std::vector<std::string> list(const std::string& prefix) const override {
        return prefix.empty() ? std::vector<std::string>{"a"} : std::vector<std::string>{};
    }
    void put(const std::string& key, std::span<const std::byte> value) override {
        values_[key] = Bytes(value.begin(), value.end());
    }
    void erase(const std::string& key) override { values_[key] = std::nullopt; }

private:
    std::map<std::string, std::optional<Bytes>> values_; ///< nothing: erased
    std::optional<Bytes> chunk_;
};

/// The elements of a tensor, and whether two are the same, NaNs too.
class Elements {
public:
    explicit Elements(const pv::AnyTensor& x)
        : dtype_(x.dtype()), shape_(x.shape().begin(), x.shape().end()), size_(x.size()) {
        if (is_text())
            texts_.resize(static_cast<std::size_t>(size_));
        else
            numbers_.resize(static_cast<std::size_t>(size_ * dtype_.size_bytes()));
        pv::read_all(x.operand(), data());
    }
    bool operator==(const Elements& other) const {
        if (dtype_ != other.dtype_ || shape_ != other.shape_ || texts_ != other.texts_)
            return false;
        for (index_t i = 0; i < std::ssize(numbers_); i += dtype_.size_bytes())
            if (!dtype_.descriptor().same(numbers_.data() + i, other.numbers_.data() + i))
                return false;
        return true;
    }

private:
    bool is_text() const { return dtype_ == pv::kDType<std::string>; }
    void* data() { return is_text() ? static_cast<void*>(texts_.data()) : numbers_.data(); }

    pv::DType dtype_;
    std::vector<index_t> shape_;
    index_t size_;
    std::vector<std::byte> numbers_;
    std::vector<std::string> texts_;
};

/// The first element of a tensor, or the last.
pv::AnyTensor corner(const pv::AnyTensor& x, bool is_last) {
    std::vector<pv::TensorIndex> at;
    for (const index_t extent : x.shape()) at.emplace_back(is_last ? extent - 1 : index_t{0});
    return pv::AnyTensor(pv::select_operand(x.operand(), at));
}

/// What was read, of an array that is small.
std::optional<Elements> read(const pv::StoredArray& array) {
    const pv::AnyTensor& x = array.values;
    static_cast<void>(array.attributes.json());
    require(x.shape().size() == array.chunk_shape.size(), "each axis has chunks");
    if (x.size() > kMostElements) {
        tried([&] { return Elements(corner(x, false)); });
        tried([&] { return Elements(corner(x, true)); });
        return std::nullopt;
    }
    tried([&] { return Elements(pv::cf_decoded(array)); });
    return tried([&] { return Elements(x); });
}

pv::StoredArray opened(const std::shared_ptr<pv::Store>& store, const std::string& name,
                       pv::Access access = pv::Access::read_only) {
    return pv::open_zarr_array(store, name, access);
}

void check(const std::shared_ptr<pv::Store>& store) {
    const auto array = tried([&] { return opened(store, ""); });
    if (!array) return;
    const std::optional<Elements> elements = read(*array);
    if (!elements) return;
    const pv::AnyTensor copied = pv::clone(array->values);

    const auto other = pv::memory_store();
    if (tried([&] {
            pv::save_zarr(other, "a", copied);
            return true;
        }))
        require(Elements(opened(other, "a").values) == *elements,
                "what is saved and opened is the same");

    const auto written = tried([&] { return opened(store, "", pv::Access::read_write); });
    if (!written || !tried([&] {
            pv::copy(copied, written->values);
            return true;
        }))
        return;
    require(Elements(written->values) == *elements, "what is written is the same");
    pv::drop_cached_chunks();
    require(Elements(opened(store, "").values) == *elements, "what is written and opened, too");
}

void check_group(const pv::StoredGroup& group, int depth) {
    static_cast<void>(group.attributes().json());
    int left = 8;
    if (const auto names = tried([&] { return group.arrays(); }))
        for (const std::string& name : *names)
            if (const auto array = tried([&] { return group.array(name); }); array && left-- > 0)
                static_cast<void>(read(*array));
    if (const auto names = tried([&] { return group.groups(); }); names && depth < 3)
        for (const std::string& name : *names)
            if (const auto inner = tried([&] { return group.group(name); }); inner && left-- > 0)
                check_group(*inner, depth + 1);
}

/// Codecs of format 3 of a chunk of [3 4 2] elements.
struct Codecs3 {
    const char* type;
    const char* codecs;
};
#define PURVIEW_LITTLE R"({"name": "bytes", "configuration": {"endian": "little"}})"
#define PURVIEW_BIG R"({"name": "bytes", "configuration": {"endian": "big"}})"
#define PURVIEW_SHARDS(chunk, codecs, index, place)                                          \
 R"({"name": "sharding_indexed", "configuration": {"chunk_shape": )" chunk                   \
 R"(, "codecs": [)" codecs R"(], "index_codecs": [)" index R"(], "index_location": ")" place \
 R"("}})"
constexpr std::array kCodecs3{
    Codecs3{R"("float32")", PURVIEW_LITTLE R"(, "zstd")"},
    Codecs3{R"("float32")", PURVIEW_LITTLE R"(, "gzip")"},
    Codecs3{R"("float32")", PURVIEW_LITTLE R"(, "blosc")"},
    Codecs3{R"("float32")", PURVIEW_LITTLE R"(, "numcodecs.lz4")"},
    Codecs3{R"("float32")", PURVIEW_LITTLE R"(, "numcodecs.zlib")"},
    Codecs3{R"("float32")", PURVIEW_LITTLE R"(, "crc32c")"},
    Codecs3{R"("complex64")",
            R"({"name": "transpose", "configuration": {"order": [2, 0, 1]}}, )" PURVIEW_BIG},
    Codecs3{R"("bool")", R"("bytes")"},
    Codecs3{R"("string")", R"("vlen-utf8")"},
    Codecs3{R"("string")", R"({"name": "transpose", "configuration": {"order": [1, 2, 0]}},
                              "vlen-utf8", "zstd", "gzip")"},
    Codecs3{R"({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}})", PURVIEW_BIG},
    Codecs3{R"({"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}})",
            R"("bytes")"},
    Codecs3{R"("float32")", PURVIEW_SHARDS("[3, 2, 1]", PURVIEW_LITTLE, PURVIEW_LITTLE, "end")},
    Codecs3{R"("float32")", PURVIEW_SHARDS("[1, 4, 1]", PURVIEW_LITTLE R"(, "zstd")",
                                           PURVIEW_BIG R"(, "crc32c")", "start")},
    Codecs3{R"("int16")",
            PURVIEW_SHARDS("[3, 2, 2]",
                           PURVIEW_SHARDS("[1, 2, 1]", PURVIEW_LITTLE, PURVIEW_LITTLE, "start"),
                           PURVIEW_LITTLE, "end")},
    Codecs3{R"("int16")",
            PURVIEW_SHARDS("[3, 2, 1]", PURVIEW_LITTLE, PURVIEW_LITTLE, "end") R"(, "gzip")"},
    Codecs3{R"("float32")",
            R"({"name": "transpose", "configuration": {"order": [2, 0, 1]}}, )" PURVIEW_SHARDS(
                "[1, 3, 2]", PURVIEW_LITTLE, PURVIEW_LITTLE, "end")},
    Codecs3{R"("string")", PURVIEW_SHARDS("[3, 2, 1]", R"("vlen-utf8")", PURVIEW_LITTLE, "end")},
};

/// A type, a compressor and filters of format 2.
struct Codecs2 {
    const char* type;
    const char* compressor;
    const char* filters;
};
constexpr std::array kCodecs2{
    Codecs2{"<f4", R"({"id": "zlib"})", R"({"id": "shuffle", "elementsize": 4})"},
    Codecs2{">i2", "null", R"({"id": "delta", "dtype": ">i2"})"},
    Codecs2{"<i2", R"({"id": "lz4"})", R"({"id": "delta", "dtype": "<i2", "astype": "<i8"})"},
    Codecs2{"<i4", "null", R"({"id": "delta", "dtype": "<i4", "astype": "<f8"})"},
    Codecs2{
        "<f8", "null",
        R"({"id": "fixedscaleoffset", "dtype": "<f8", "astype": "|u1", "scale": 10, "offset": 5})"},
    Codecs2{
        "|u1", "null",
        R"({"id": "fixedscaleoffset", "dtype": "|u1", "astype": "<f4", "scale": 0.5, "offset": 1})"},
    Codecs2{"|O", R"({"id": "blosc"})", R"({"id": "vlen-utf8"})"},
    Codecs2{"<M8[s]", R"({"id": "zstd"})", ""},
    Codecs2{">U2", R"({"id": "gzip"})", ""},
};

std::string metadata_3(const Codecs3& codecs) {
    return std::string(R"({"zarr_format": 3, "node_type": "array", "shape": [5, 4, 3],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 4, 2]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": )") +
           (std::string_view(codecs.type) == "\"bool\"" ? "false" : "0") +
           R"(, "attributes": {}, "data_type": )" + codecs.type + R"(, "codecs": [)" +
           codecs.codecs + "]}";
}

std::string metadata_2(const Codecs2& codecs) {
    return std::string(R"({"zarr_format": 2, "shape": [5, 4, 3], "chunks": [3, 4, 2],
        "order": "F", "fill_value": null, "dtype": ")") +
           codecs.type + R"(", "compressor": )" + codecs.compressor + R"(, "filters": [)" +
           codecs.filters + "]}";
}

/// Text up to a zero, and what follows it, if there is one: each chunk.
void check_metadata(const char* key, std::string_view bytes) {
    const auto store = std::make_shared<OneChunkStore>();
    const std::size_t end = bytes.find('\0');
    store->put_text(key, bytes.substr(0, end));
    if (end != bytes.npos) store->set_chunk(bytes.substr(end + 1));
    check(store);
    if (const auto group = tried([&] { return pv::open_zarr_group(store); }))
        check_group(*group, 0);
}

void check_chunk(const char* key, const std::string& metadata, std::string_view bytes) {
    const auto store = std::make_shared<OneChunkStore>();
    store->put_text(key, metadata);
    store->set_chunk(bytes);
    require(opened(store, "").values.size() == 60, "the metadata of chunks is valid");
    check(store);
}

void check_zip(std::string_view bytes) {
    static const fuzz::MemoryFile file("zarr_fuzz");
    file.assign(std::as_bytes(std::span(bytes)));
    const auto store = tried([&] { return pv::zip_store(file.path()); });
    if (!store) return;
    if (const auto array = tried([&] { return opened(*store, ""); }))
        static_cast<void>(read(*array));
    if (const auto group = tried([&] { return pv::open_zarr_group(*store); }))
        check_group(*group, 0);
}

void check_input(std::uint8_t kind, std::string_view bytes) {
    switch (kind) {
    case 0: return check_metadata("zarr.json", bytes);
    case 1: return check_metadata(".zarray", bytes);
    case 2: return check_metadata(".zmetadata", bytes);
    case 3: return check_zip(bytes);
    default: break;
    }
    const std::size_t number = kind - std::size_t{4};
    if (number < kCodecs3.size())
        check_chunk("zarr.json", metadata_3(kCodecs3[number]), bytes);
    else if (number - kCodecs3.size() < kCodecs2.size())
        check_chunk(".zarray", metadata_2(kCodecs2[number - kCodecs3.size()]), bytes);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    pv::set_threads(1);
    pv::drop_cached_chunks();
    pv::set_memory_limit(kLimit);
    pv::reset_chunk_statistics();
    check_input(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
    require(pv::chunk_statistics().peak_bytes <= kLimit, "memory stays within the limit");
    return 0;
}
