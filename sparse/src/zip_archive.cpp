#include "zip_archive.hpp"

#include "io/replacement_file.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <utility>

#include <zip.h>

namespace purview::inline v0_1::sparse {
namespace {

zip* open_zip(const std::string& path, int flags, const std::string& where) {
    if (path.find('\0') != std::string::npos)
        throw FormatError(fmt::format("{}: the path has a zero byte", where));
    int code = 0;
    zip* const archive = ::zip_open(path.c_str(), flags, &code);
    if (archive != nullptr) return archive;
    zip_error_t error;
    ::zip_error_init_with_code(&error, code);
    const std::string reason = ::zip_error_strerror(&error);
    ::zip_error_fini(&error);
    throw FormatError(fmt::format("{}: {}", where, reason));
}

/// A deflated byte inflates to at most 1032 bytes: a larger size cannot be true.
constexpr std::uint64_t kMostInflation = 1032;

/// The end of a central directory that has no members.
constexpr std::array<unsigned char, 22> kEmptyArchive{'P', 'K', 5, 6};

} // namespace

ZipMember::ZipMember(zip* archive, std::uint64_t index, index_t file_bytes, std::string where)
    : where_(std::move(where)) {
    zip_stat_t status;
    ::zip_stat_init(&status);
    if (::zip_stat_index(archive, index, 0, &status) != 0)
        throw FormatError(fmt::format("{}: {}", where_, ::zip_strerror(archive)));
    constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((status.valid & kNeeded) != kNeeded)
        throw FormatError(fmt::format("{}: has no size", where_));
    if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && status.encryption_method != ZIP_EM_NONE)
        throw FormatError(fmt::format("{}: is encrypted", where_));
    if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)
        throw FormatError(
            fmt::format("{}: is compressed by method {}, and neither stored nor deflated", where_,
                        status.comp_method));
    const auto length = static_cast<std::uint64_t>(file_bytes);
    const bool is_stored = status.comp_method == ZIP_CM_STORE;
    if (status.comp_size > length || (is_stored ? status.size != status.comp_size
                                                : status.size / kMostInflation > status.comp_size))
        throw FormatError(fmt::format("{}: {} bytes of {} in a file of {} are not possible", where_,
                                      status.size, status.comp_size, file_bytes));
    size_ = left_ = static_cast<index_t>(status.size);
    file_ = ::zip_fopen_index(archive, index, 0);
    if (file_ == nullptr) throw FormatError(fmt::format("{}: {}", where_, ::zip_strerror(archive)));
}

ZipMember::~ZipMember() { ::zip_fclose(file_); }

void ZipMember::read(std::byte* out, index_t count) {
    left_ -= count;
    while (count > 0) {
        const zip_int64_t got = ::zip_fread(file_, out, static_cast<zip_uint64_t>(count));
        if (got < 0) throw FormatError(fmt::format("{}: {}", where_, ::zip_file_strerror(file_)));
        if (got == 0)
            throw FormatError(fmt::format("{}: ends {} bytes before its end", where_, count));
        out += got;
        count -= got;
    }
    std::byte behind{};
    if (left_ == 0 && ::zip_fread(file_, &behind, 1) != 0)
        throw FormatError(fmt::format("{}: its checksum is another", where_));
}

ZipReader::ZipReader(const std::string& path, std::string where) : where_(std::move(where)) {
    archive_ = open_zip(path, ZIP_RDONLY, where_);
    std::error_code error;
    file_bytes_ = static_cast<index_t>(std::filesystem::file_size(path, error));
    if (error) file_bytes_ = 0;
    const zip_int64_t count = ::zip_get_num_entries(archive_, 0);
    for (zip_int64_t i = 0; i < count; ++i) {
        const auto place = static_cast<zip_uint64_t>(i);
        const char* const name = ::zip_get_name(archive_, place, 0);
        if (name == nullptr) continue;
        if (places_.insert_or_assign(name, place).second) names_.emplace_back(name);
    }
}

ZipReader::~ZipReader() { ::zip_discard(archive_); }

ZipMember ZipReader::member(const std::string& name) const {
    std::string where = fmt::format("{}, member '{}'", where_, name);
    const auto found = places_.find(name);
    if (found == places_.end()) throw FormatError(fmt::format("{}: is missing", where));
    return ZipMember(archive_, found->second, file_bytes_, std::move(where));
}

/// The target of libzip's writes: a file that does not exist until it is committed. libzip cannot
/// pass exceptions on, so that the first one is kept for `rethrow`.
class ZipWriter::Target {
public:
    Target(const char* what, const std::string& path) : file_(what, path) {
        ::zip_error_init(&error_);
    }
    ~Target() { ::zip_error_fini(&error_); }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    void rethrow() const {
        if (failure_ != nullptr) std::rethrow_exception(failure_);
    }

    static zip_int64_t call(void* self, void* data, zip_uint64_t size, zip_source_cmd_t command) {
        auto& target = *static_cast<Target*>(self);
        try {
            return target.answer(data, size, command);
        } catch (...) {
            if (target.failure_ == nullptr) target.failure_ = std::current_exception();
            return target.refuse(ZIP_ER_WRITE, EIO);
        }
    }

private:
    zip_int64_t answer(void* data, zip_uint64_t size, zip_source_cmd_t command) {
        switch (command) {
        case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_WRITABLE;
        case ZIP_SOURCE_STAT: return refuse(ZIP_ER_READ, ENOENT); // so that it is made anew
        case ZIP_SOURCE_ERROR: return ::zip_error_to_data(&error_, data, size);
        case ZIP_SOURCE_BEGIN_WRITE:
        case ZIP_SOURCE_ROLLBACK_WRITE:
        case ZIP_SOURCE_FREE: return 0;
        case ZIP_SOURCE_WRITE:
            file_.write({static_cast<const std::byte*>(data), static_cast<std::size_t>(size)});
            position_ += static_cast<index_t>(size);
            length_ = std::max(length_, position_);
            return static_cast<zip_int64_t>(size);
        case ZIP_SOURCE_TELL_WRITE: return position_;
        case ZIP_SOURCE_SEEK_WRITE: {
            const zip_int64_t to = ::zip_source_seek_compute_offset(
                static_cast<zip_uint64_t>(position_), static_cast<zip_uint64_t>(length_), data,
                size, &error_);
            if (to < 0) return -1;
            file_.seek(to);
            position_ = to;
            return 0;
        }
        case ZIP_SOURCE_COMMIT_WRITE: file_.commit(); return 0;
        case ZIP_SOURCE_REMOVE: // which libzip does instead of writing an archive of no members
            file_.write(std::as_bytes(std::span(kEmptyArchive)));
            file_.commit();
            return 0;
        default: return refuse(ZIP_ER_OPNOTSUPP, 0);
        }
    }
    zip_int64_t refuse(int zip_error, int system_error) {
        ::zip_error_set(&error_, zip_error, system_error);
        return -1;
    }

    file::ReplacementFile file_;
    zip_error_t error_;
    index_t position_ = 0;
    index_t length_ = 0;
    std::exception_ptr failure_;
};

ZipWriter::ZipWriter(const char* what, const std::string& path, bool deflated)
    : where_(fmt::format("{}: '{}'", what, path)),
      deflated_(deflated),
      target_(std::make_unique<Target>(what, path)) {
    zip_error_t error;
    ::zip_error_init(&error);
    zip_source_t* const source = ::zip_source_function_create(&Target::call, target_.get(), &error);
    if (source != nullptr)
        archive_ = ::zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (archive_ == nullptr) {
        if (source != nullptr) ::zip_source_free(source);
        const std::string reason = ::zip_error_strerror(&error);
        ::zip_error_fini(&error);
        throw FormatError(fmt::format("{}: {}", where_, reason));
    }
    ::zip_error_fini(&error);
}

ZipWriter::~ZipWriter() {
    if (archive_ != nullptr) ::zip_discard(archive_);
}

void ZipWriter::fail() const {
    throw FormatError(fmt::format("{}: {}", where_, ::zip_strerror(archive_)));
}

void ZipWriter::add(const std::string& name, std::string head, std::span<const std::byte> tail) {
    heads_.push_back(std::make_unique<std::string>(std::move(head)));
    std::string& kept = *heads_.back();
    // libzip only reads what it is given, but its fragments are not const.
    const std::array fragments{
        zip_buffer_fragment_t{reinterpret_cast<zip_uint8_t*>(kept.data()), kept.size()},
        zip_buffer_fragment_t{reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(tail.data())),
                              tail.size()}};
    const zip_uint64_t parts = tail.empty() ? 1 : 2;
    zip_source_t* const source = ::zip_source_buffer_fragment(archive_, fragments.data(), parts, 0);
    if (source == nullptr) fail();
    const zip_int64_t index = ::zip_file_add(archive_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        ::zip_source_free(source);
        fail();
    }
    // Level 1: numbers hardly shrink further, and the others take much longer.
    if (::zip_set_file_compression(archive_, static_cast<zip_uint64_t>(index),
                                   deflated_ ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 1) != 0)
        fail();
}

void ZipWriter::commit() {
    if (::zip_close(archive_) != 0) {
        target_->rethrow();
        fail();
    }
    archive_ = nullptr;
}

} // namespace purview::sparse
