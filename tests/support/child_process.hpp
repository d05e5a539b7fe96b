#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace oracle {

/// A child of this process that does some work. One that hangs is ended.
class ChildProcess {
public:
    /// `work` returns the status that it exits with.
    template <typename F>
    explicit ChildProcess(F work) : child_(::fork()) {
        if (child_ != 0) return;
        ::alarm(60);
        ::_exit(work());
    }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess() { status(); }

    /// How it has ended, as `waitpid` tells.
    int status() {
        if (child_ > 0) ::waitpid(child_, &status_, 0);
        child_ = -1;
        return status_;
    }

private:
    ::pid_t child_;
    int status_ = -1;
};

/// Whether `work` returns true in a child.
template <typename F>
bool holds_in_child(F work) {
    return ChildProcess([&] { return work() ? 0 : 1; }).status() == 0;
}

} // namespace oracle
