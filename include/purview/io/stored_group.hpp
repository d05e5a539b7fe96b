#pragma once

#include <purview/io/stored_array.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A folder of arrays and of further groups, in a file or store. Names may be paths:
/// `"surface/daily/t2m"`. A small handle.
class StoredGroup {
public:
    /// Who knows what lies in it.
    class PURVIEW_EXPORT Source {
    public:
        virtual ~Source() = default;
        virtual Attributes attributes(const std::string& group) const = 0;
        /// In ascending order.
        virtual std::vector<std::string> arrays(const std::string& group) const = 0;
        virtual std::vector<std::string> groups(const std::string& group) const = 0;
        virtual StoredArray array(const std::string& path) const = 0;
        /// The elements of an array alone; by default those of `array`.
        virtual AnyTensor values(const std::string& path) const;
        /// Whether there is an array at a path; by default looked for among `arrays`.
        virtual bool has_array(const std::string& path) const;
        /// Throws `FormatError` where there is no such group.
        virtual void require_group(const std::string& path) const = 0;
    };

    /// The group at `path` of a source; empty: the whole.
    StoredGroup(std::shared_ptr<const Source> source, std::string path)
        : source_(std::move(source)), path_(std::move(path)) {
        source_->require_group(path_);
    }

    Attributes attributes() const { return source_->attributes(path_); }
    /// The names of the arrays and groups right in it.
    std::vector<std::string> arrays() const { return source_->arrays(path_); }
    std::vector<std::string> groups() const { return source_->groups(path_); }
    /// Whether there is an array of this name.
    bool has_array(const std::string& name) const { return source_->has_array(path_of(name)); }
    /// Throw `FormatError` where there is none.
    StoredArray array(const std::string& name) const { return source_->array(path_of(name)); }
    /// Its elements alone, which takes less time to open.
    AnyTensor values(const std::string& name) const { return source_->values(path_of(name)); }
    StoredGroup group(const std::string& name) const { return {source_, path_of(name)}; }

private:
    std::string path_of(const std::string& name) const {
        return path_.empty() || name.empty() ? path_ + name : path_ + "/" + name;
    }

    std::shared_ptr<const Source> source_;
    std::string path_;
};

} // namespace purview
