#pragma once

#include <purview/mpi/errors.hpp>

// The interface for C, without the classes for C++ that MPI 3.0 has removed.
#ifndef OMPI_SKIP_MPICXX
# define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
# define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <iosfwd>
#include <memory>

namespace purview::inline v0_1::mpi {

/// Initialises MPI (`MPI_THREAD_SERIALIZED`) where the program has not, and finalises it at the end of
/// its life where it has initialised it. While it lives, an exception that nobody catches is printed
/// with its text, and ends all ranks. Ranks that have a processor together share its cores evenly
/// (`set_threads`), unless PURVIEW_THREADS is set. Make one, at the beginning of `main`.
class PURVIEW_MPI_EXPORT Environment {
public:
    Environment();
    Environment(int& argc, char**& argv);
    Environment(const Environment&) = delete;
    ~Environment();

private:
    void begin(int* argc, char*** argv);

    bool finalises_ = false;
    int exceptions_ = 0; ///< that were on their way when it was made
};

class Ranks;

/// The ranks that call the functions of `purview::mpi` together. A handle; copies are the same
/// communicator, which is a duplicate of the program's own, so that messages never mix. Making one is
/// a call of all its ranks. Functions on one communicator are called by one thread at a time, in the
/// same order on all ranks. One that outlives `MPI_Finalize` does nothing when it goes.
class PURVIEW_MPI_EXPORT Communicator {
public:
    /// All ranks of the program. Throws `DistributionError` where MPI is not initialised.
    Communicator();
    explicit Communicator(MPI_Comm comm);

    int rank() const noexcept;
    int size() const noexcept;
    /// The duplicate.
    MPI_Comm native() const noexcept;

    friend bool operator==(const Communicator&, const Communicator&) = default;

    // For the library.
    explicit Communicator(std::shared_ptr<Ranks> ranks) noexcept : ranks_(std::move(ranks)) {}
    Ranks& ranks() const noexcept { return *ranks_; }

private:
    std::shared_ptr<Ranks> ranks_;
};

/// Messages that this rank has sent since the process began, or `reset_messages`: what goes to one rank at a
/// time is one, in however many chunks; so is an all-reduce.
struct Messages {
    index_t count = 0;
    index_t bytes = 0;
    index_t with_elements = 0;  ///< those that carry elements, or results
    index_t elements_bytes = 0; ///< and their bytes
};

/// "3 messages of 1200 bytes; 1 with elements, of 1152 bytes".
PURVIEW_MPI_EXPORT std::ostream& operator<<(std::ostream& out, const Messages& sent);

PURVIEW_MPI_EXPORT Messages messages() noexcept;
PURVIEW_MPI_EXPORT void reset_messages() noexcept;

/// How long functions wait for ranks that do not come: 600 seconds where nothing else was said. Then
/// they throw a `DistributionError` that names the ranks that are missing and the function in which the others wait, and the communicator cannot
/// be used any more. Throws `Error` for what is not a positive number.
PURVIEW_MPI_EXPORT void set_timeout(double seconds);

} // namespace purview
