#include "functional/applied/saved/tokens_in_bytes.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace purview::inline v0_1::saved {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are little-endian");

constexpr std::string_view kMagic("\x89purview\r\n\x1a\n", 12);
constexpr std::uint32_t kComputation = 1; ///< the kind of what is saved
constexpr std::size_t kLongestWord = 100;

void put(std::string& bytes, std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
}
std::uint32_t get(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return value;
}

} // namespace

BytesWriter::BytesWriter(std::uint32_t version) : bytes_(kMagic) {
    put(bytes_, kComputation);
    put(bytes_, version);
}

void BytesWriter::word(std::string_view text) {
    const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    std::size_t hash = text.size();
    if (!text.empty())
        hash += 5u * letter(0) + 3u * letter(text.size() / 2) + letter(text.size() - 1);
    std::size_t& last = last_of_hash_[hash % last_of_hash_.size()];
    if (last == 0 || words_[last - 1] != text) // there are some dozens of them
        last = static_cast<std::size_t>(std::ranges::find(words_, text) - words_.begin()) + 1;
    if (last <= words_.size()) return unsigned_integer(last);
    words_.emplace_back(text);
    unsigned_integer(0);
    string(text);
}

void BytesWriter::string(std::string_view text) {
    unsigned_integer(text.size());
    bytes_ += text;
}

void BytesWriter::elements(DType dtype, const void* data, index_t count) {
    const std::string_view given(static_cast<const char*>(data),
                                 static_cast<std::size_t>(count * dtype.size_bytes()));
    if (dtype == boolean) // of other libraries: any byte but 0 is true
        for (const char each : given) bytes_ += each != 0 ? '\1' : '\0';
    else
        bytes_ += given;
}

bool BytesReader::is_this(std::string_view bytes) noexcept { return bytes.starts_with(kMagic); }

BytesReader::BytesReader(std::string_view bytes) : rest_(bytes) {
    if (take(kMagic.size()) != kMagic) throw FormatError("computation: these are other bytes");
    const std::uint32_t kind = get(take(4));
    const std::uint32_t version = get(take(4));
    if (kind != kComputation)
        throw FormatError(fmt::format("computation: what was saved is of kind {}, and not a "
                                      "computation, which is {}",
                                      kind, kComputation));
    if (version == 0 || version > kVersion)
        throw FormatError(fmt::format("computation: version {} was saved; this library reads up to "
                                      "version {}",
                                      version, kVersion));
}

std::string_view BytesReader::take(std::size_t count) {
    if (count > rest_.size())
        throw FormatError(fmt::format("computation: {} more bytes are needed, and {} are left",
                                      count, rest_.size()));
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
}
unsigned char BytesReader::byte() { return static_cast<unsigned char>(take(1)[0]); }

std::uint64_t BytesReader::long_integer() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const std::uint64_t next = byte();
        const std::uint64_t bits = next & 0x7f;
        // The shortest form alone, so that nothing can be saved in two ways.
        if ((shift == 63 && bits > 1) || (shift > 0 && next == 0)) break;
        value |= bits << shift;
        if (next < 0x80) return value;
    }
    throw FormatError("computation: an integer is malformed");
}

index_t BytesReader::integer() {
    const std::uint64_t bits = unsigned_integer();
    return static_cast<index_t>((bits >> 1) ^ (~(bits & 1) + 1));
}

std::string_view BytesReader::string() { return take(unsigned_integer()); }

std::string_view BytesReader::word() {
    const std::uint64_t number = unsigned_integer();
    if (number == 0) {
        words_.push_back(string());
        if (words_.back().size() > kLongestWord)
            throw FormatError("computation: a word is too long");
        return words_.back();
    }
    if (number > words_.size())
        throw FormatError(fmt::format("computation: word {} is not there", number));
    return words_[number - 1];
}

void BytesReader::open() {
    const std::uint64_t count = unsigned_integer();
    if (count > rest_.size()) // each has a byte at least
        throw FormatError(fmt::format("computation: a list of {} is longer than the rest", count));
    lists_.push_back(count);
}

bool BytesReader::option(std::string_view) {
    const unsigned char is_there = byte();
    if (is_there > 1) throw FormatError("computation: an option is neither there nor not");
    return is_there == 1;
}

void BytesReader::expect(DType dtype, index_t count) const {
    if (count < 0 || count > static_cast<index_t>(rest_.size()) / dtype.size_bytes())
        throw FormatError(fmt::format("computation: {} elements of type {} are more than the rest",
                                      count, dtype.name()));
}
void BytesReader::elements(DType dtype, index_t count, void* out) {
    const std::string_view bytes = take(static_cast<std::size_t>(count * dtype.size_bytes()));
    if (dtype == boolean)
        for (const char each : bytes)
            if (each != 0 && each != 1) throw FormatError("computation: a bool is neither 0 nor 1");
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
}

void BytesReader::end() const {
    if (!rest_.empty())
        throw FormatError(fmt::format("computation: {} bytes follow the end", rest_.size()));
}

} // namespace purview::saved
