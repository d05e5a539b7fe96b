#pragma once

#include <purview/archives/open_many.hpp>
#include <purview/base/errors.hpp>
#include <purview/io/stored_group.hpp>

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace purview::inline v0_1::archives {

using File = ArchiveFiles::File;

/// What errors call a file: its path between quotes, or the name of a store.
std::string name_of(const File& file);

/// What `work` returns; its errors name the file.
template <typename Work>
auto naming(const File& file, const Work& work) {
    const auto text = [&](const Error& error) {
        return fmt::format("open_many: {}: {}", name_of(file), error.what());
    };
    try {
        return work();
    } catch (const FormatError& error) {
        throw FormatError(text(error));
    } catch (const CastError& error) {
        throw CastError(text(error));
    }
}

/// What tells whether a file was changed; of a folder, what its metadata's file says, as far as there is one. All 0 for a store.
struct FileState {
    index_t bytes = 0;
    index_t changed = 0; ///< nanoseconds since 1970
    friend bool operator==(const FileState&, const FileState&) = default;
};
/// Nothing where there is no such file.
std::optional<FileState> state_of(const File& file, const std::string& variable);

/// A file that is open.
class StoredFile {
public:
    /// Throws `FormatError` naming it.
    explicit StoredFile(const File& file);

    /// The name of the array that is meant: `variable`, or if that is empty the only one which is no coordinate. Throws
    /// `FormatError` naming those that there are.
    std::string array_name(const std::string& variable) const;
    StoredArray array(const std::string& name) const;
    /// Its elements alone.
    AnyTensor values(const std::string& name) const;
    /// The array of this name beside another one; nothing where there is none.
    std::optional<StoredArray> coordinate(const std::string& name, const std::string& beside) const;

private:
    std::string where_;
    std::optional<StoredGroup> group_;   ///< of arrays with names
    std::optional<StoredArray> unnamed_; ///< or one array
};

/// The elements of an array that was just opened, if its file need not stay open for them.
std::shared_ptr<const AnyTensor> detached(const AnyTensor& values);

} // namespace purview::archives
