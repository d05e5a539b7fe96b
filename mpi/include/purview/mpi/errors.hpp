#pragma once

#include <purview/base/errors.hpp>
#include <purview/mpi/export.hpp>

namespace purview::inline v0_1::mpi {

/// Ranks that do not agree on what they call, a rank that does not come, or an element of another rank
/// read outside of the functions that all ranks call.
class PURVIEW_MPI_EXPORT DistributionError : public Error {
public:
    using Error::Error;
    DistributionError(const DistributionError&) = default;
    DistributionError& operator=(const DistributionError&) = default;
    ~DistributionError() override;
};

} // namespace purview
