#include <purview/archives/open_many.hpp>

#include "found_array.hpp"
#include "index_file.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <string_view>

namespace purview::inline v0_1 {

StoredArray open_many(const ArchiveFiles& files, const OpenManyOptions& options) {
    return archives::stored_archive(archives::found_archive(files, options));
}

StoredArray save_index(const std::string& path, const ArchiveFiles& files,
                       const OpenManyOptions& options) {
    const archives::Archive archive = archives::found_archive(files, options);
    StoredArray result = archives::stored_archive(archive); // before a file is written
    archives::write_index(path, archive);
    return result;
}

StoredArray open_index(const std::string& path) {
    const std::string where = fmt::format("open_index: '{}'", path);
    try {
        return archives::stored_archive(archives::read_index(path));
    } catch (const MemoryLimitError&) {
        throw;
    } catch (const Error& error) { // whatever it is, the index says it
        std::string_view text = error.what();
        if (text.starts_with(where)) throw FormatError(std::string(text));
        for (const std::string_view own : {"open_many: ", "open_index: "})
            if (text.starts_with(own)) text.remove_prefix(own.size());
        throw FormatError(fmt::format("{}: {}", where, text));
    }
}

} // namespace purview
