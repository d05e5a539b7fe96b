#pragma once

namespace purview::inline v0_1::arrow {

/// What was moved out of a structure of Arrow's, released once.
template <typename S>
class TakenOver {
public:
    explicit TakenOver(S& from) noexcept : held_(from) { from.release = nullptr; }
    TakenOver(TakenOver&& other) noexcept : TakenOver(other.held_) {}
    ~TakenOver() {
        if (held_.release != nullptr) held_.release(&held_);
    }
    const S& operator*() const noexcept { return held_; }
    S& operator*() noexcept { return held_; }

private:
    S held_;
};

} // namespace purview::arrow
