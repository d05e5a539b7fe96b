#pragma once

#include <sys/resource.h>

#include <csignal>

namespace oracle {

/// As on a full disk: while it lives, this process writes files of so many bytes at most.
class SmallFiles {
public:
    explicit SmallFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit little = before_;
        little.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &little);
    }
    SmallFiles(const SmallFiles&) = delete;
    ~SmallFiles() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    void (*handler_)(int);
    rlimit before_{};
};

} // namespace oracle
