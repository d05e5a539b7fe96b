#pragma once

#include "stored_file.hpp"

#include <memory>
#include <string>
#include <vector>

namespace purview::inline v0_1::archives {

/// What is known of the array of a file.
struct FoundArray {
    File file;
    std::string variable;
    FileState state;
    bool is_there = true;
    DType dtype = float64;
    Shape shape;
    Shape chunk;
    /// What is told about it, but for `values`; those of one text are shared.
    std::shared_ptr<const StoredArray> about;
    /// Its elements, where the file need not stay open for them.
    std::shared_ptr<const AnyTensor> detached{};
};

/// An archive, as it was found, and is written to an index: arrays, each with the place where it begins.
struct Archive {
    std::vector<FoundArray> arrays;
    std::vector<Shape> begins;
    Shape shape;
    std::vector<std::string> dimension_names;
    int new_axes = 0; ///< in front, which the arrays do not have
};

/// Looks at all files. Throws as `open_many`.
Archive found_archive(const ArchiveFiles& files, const OpenManyOptions& options);

/// The archive as one array.
StoredArray stored_archive(const Archive& archive);

} // namespace purview::archives
