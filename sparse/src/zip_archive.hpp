#pragma once

#include <purview/base/index.hpp>
#include <purview/sparse/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct zip;
struct zip_file;

namespace purview::inline v0_1::sparse {

/// A member of a zip file, read from its beginning to its end. purview::zarr reads by it too.
class PURVIEW_SPARSE_EXPORT ZipMember {
public:
    ZipMember(zip* archive, std::uint64_t index, index_t file_bytes, std::string where);
    ~ZipMember();
    ZipMember(const ZipMember&) = delete;
    ZipMember& operator=(const ZipMember&) = delete;

    /// Bytes that it has when inflated. Checked: not more than can be inflated from a file of this
    /// length.
    index_t size() const noexcept { return size_; }
    const std::string& where() const noexcept { return where_; }
    /// The next `count` bytes. Throws `FormatError` where they cannot be read, and, with the last
    /// byte, if the checksum is wrong.
    void read(std::byte* out, index_t count);

private:
    std::string where_; ///< what errors begin with: the file and the member
    index_t size_ = 0;
    index_t left_ = 0; ///< still to be read
    zip_file* file_ = nullptr;
};

/// A zip file that is read. Throws `FormatError` beginning with `where` and naming libzip's reason.
class PURVIEW_SPARSE_EXPORT ZipReader {
public:
    ZipReader(const std::string& path, std::string where);
    ~ZipReader();
    ZipReader(const ZipReader&) = delete;
    ZipReader& operator=(const ZipReader&) = delete;

    bool has(const std::string& name) const { return places_.contains(name); }
    /// The names of all members, folders among them, in the order of the file, each of them once.
    const std::vector<std::string>& names() const noexcept { return names_; }
    /// The last one of this name, as Python has it: an archive that was appended to has a member's
    /// new content behind the old one.
    ZipMember member(const std::string& name) const;
    const std::string& where() const noexcept { return where_; }

private:
    std::string where_;
    index_t file_bytes_ = 0;
    std::vector<std::string> names_;
    std::map<std::string, std::uint64_t, std::less<>> places_; ///< among all members
    zip* archive_ = nullptr;
};

/// A zip file that is written beside the one it replaces, and takes its place when it is complete.
class ZipWriter {
public:
    ZipWriter(const char* what, const std::string& path, bool deflated);
    ~ZipWriter();
    ZipWriter(const ZipWriter&) = delete;
    ZipWriter& operator=(const ZipWriter&) = delete;

    /// Adds a member of two parts; the second is borrowed until `commit`.
    void add(const std::string& name, std::string head, std::span<const std::byte> tail);
    void commit();

private:
    class Target;
    [[noreturn]] void fail() const;

    std::string where_;
    bool deflated_;
    std::unique_ptr<Target> target_; ///< destroyed after the archive is closed
    std::vector<std::unique_ptr<std::string>> heads_;
    zip* archive_ = nullptr;
};

} // namespace purview::sparse
