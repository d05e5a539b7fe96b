#pragma once

#include "reader/chunk_cache.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

/// Tables that cells add to: one for each thread that is in a cell, which cells that come later go on with.
/// They count towards the memory limit.
template <typename Entry>
class TablesOfCells {
public:
    struct Table {
        Table(const char* what, std::size_t size)
            : counted(static_cast<index_t>(size * sizeof(Entry)), what), entries(size) {}

        CountedBytes counted;
        std::vector<Entry> entries;
    };

    TablesOfCells(const char* what, std::size_t size) : what_(what), size_(size) {}

    /// Calls `work(entries)` with a table that no other thread adds to meanwhile.
    template <typename Work>
    void add(Work work) {
        std::unique_ptr<Table> table = take();
        work(table->entries.data());
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(table));
    }

    /// All of them together, when all cells are done.
    const std::vector<Entry>& joined() {
        if (free_.empty()) free_.push_back(std::make_unique<Table>(what_, size_));
        std::vector<Entry>& all = free_.front()->entries;
        for (; free_.size() > 1; free_.pop_back())
            for (std::size_t i = 0; i < size_; ++i) all[i].join(free_.back()->entries[i]);
        return all;
    }

private:
    std::unique_ptr<Table> take() {
        {
            const std::lock_guard lock(mutex_);
            if (!free_.empty()) {
                std::unique_ptr<Table> table = std::move(free_.back());
                free_.pop_back();
                return table;
            }
        }
        return std::make_unique<Table>(what_, size_);
    }

    const char* what_;
    std::size_t size_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Table>> free_;
};

} // namespace purview::engine
