#pragma once

#include "messages/ranks.hpp"

namespace purview::inline v0_1::mpi {

/// Adds a message to those that `messages()` tells.
void count_message(index_t bytes, Carries carries) noexcept;

/// The most bytes of one message: 2³⁰, or PURVIEW_MPI_SLICE, as counts of MPI end at 2³¹.
index_t slice_bytes() noexcept;

double timeout_seconds() noexcept;

/// Of the messages by which a rank says that it waits, and that it waits no longer.
inline constexpr int kGiveUpTag = 0;

inline bool mpi_is_finalized() noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized != 0;
}

} // namespace purview
