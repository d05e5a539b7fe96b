#include "open_files.hpp"

#include "base/fork_lock.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <unordered_map>

namespace purview::inline v0_1::archives {
namespace {

constexpr std::size_t kMostOpen = 256;

std::mutex& mutex_of_files() {
    static std::mutex mutex;
    return mutex;
}

/// Arrays that are open, those that were wanted last in front. What is closed is closed when the lock is free again.
class OpenFiles {
public:
    using Array = std::shared_ptr<const AnyTensor>;

    Array find(const LazyArray* key) {
        const std::lock_guard lock(mutex_of_files());
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        order_.splice(order_.begin(), order_, found->second);
        return found->second->array;
    }
    void add(const LazyArray* key, Array array) {
        std::list<Entry> closed;
        const std::lock_guard lock(mutex_of_files());
        if (places_.contains(key)) return;
        order_.push_front({key, std::move(array)});
        places_.emplace(key, order_.begin());
        if (order_.size() <= kMostOpen) return;
        places_.erase(order_.back().key);
        closed.splice(closed.begin(), order_, std::prev(order_.end()));
    }
    void forget(const LazyArray* key) {
        std::list<Entry> closed;
        const std::lock_guard lock(mutex_of_files());
        const auto found = places_.find(key);
        if (found == places_.end()) return;
        closed.splice(closed.begin(), order_, found->second);
        places_.erase(found);
    }

private:
    struct Entry {
        const LazyArray* key;
        Array array;
    };
    std::list<Entry> order_;
    std::unordered_map<const LazyArray*, std::list<Entry>::iterator> places_;
};

/// Of this process; never destroyed, as arrays may be later than it.
OpenFiles& open_files() {
    static OpenFiles* const files = [] {
        lock_while_forking<&mutex_of_files>();
        return new OpenFiles;
    }();
    return *files;
}

} // namespace

LazyArray::~LazyArray() { open_files().forget(this); }

std::shared_ptr<const AnyTensor> LazyArray::opened() const {
    if (auto array = open_files().find(this)) return array;
    const std::string name = name_of(found_.file);
    const auto state = state_of(found_.file, found_.variable);
    if (!state) throw FormatError(fmt::format("open_many: {} is not there any more", name));
    if (*state != found_.state)
        throw FormatError(
            fmt::format("open_many: {} has changed since it was looked at: {} bytes, and {} now{}",
                        name, found_.state.bytes, state->bytes,
                        state->bytes == found_.state.bytes ? ", written at another time" : ""));
    {
        const std::lock_guard lock(mutex_);
        if (detached_ != nullptr) return detached_;
    }
    const StoredFile file(found_.file);
    auto array = std::make_shared<const AnyTensor>(file.values(found_.variable));
    if (array->dtype() != found_.dtype || !std::ranges::equal(array->shape(), found_.shape))
        throw FormatError(
            fmt::format("open_many: {} has elements of {} in a shape {}, and had {} in {}", name,
                        array->dtype().name(), to_string(array->shape()), found_.dtype.name(),
                        to_string(found_.shape)));
    if (const auto alone = detached(*array)) {
        const std::lock_guard lock(mutex_);
        detached_ = alone;
    } else {
        open_files().add(this, array);
    }
    return array;
}

} // namespace purview::archives
