#pragma once

#include <cstddef>
#include <stdexcept>

#include <sys/mman.h>
#include <unistd.h>

/// Memory between two pages that nobody may touch: reading or writing one byte too far is fatal.
class GuardedMemory {
public:
    explicit GuardedMemory(std::size_t bytes)
        : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
        size_ = (bytes + page_ - 1) / page_ * page_;
        void* const mapping =
            ::mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapping == MAP_FAILED) throw std::runtime_error("GuardedMemory: mmap");
        first_ = static_cast<unsigned char*>(mapping) + page_;
        if (::mprotect(first_, size_, PROT_READ | PROT_WRITE) != 0)
            throw std::runtime_error("GuardedMemory: mprotect");
    }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;
    ~GuardedMemory() { ::munmap(first_ - page_, size_ + 2 * page_); }

    unsigned char* begin() const { return first_; }
    unsigned char* end() const { return first_ + size_; }
    std::size_t size() const { return size_; }

    /// `bytes` of it that end at the inaccessible page, or begin behind one.
    unsigned char* place(std::size_t bytes, bool at_end) const {
        if (bytes > size_) throw std::logic_error("GuardedMemory: too small");
        return at_end ? end() - bytes : first_;
    }

private:
    std::size_t page_;
    std::size_t size_ = 0;
    unsigned char* first_ = nullptr;
};
