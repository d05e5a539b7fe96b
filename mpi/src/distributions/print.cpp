// Defines purview/mpi/distributed.hpp.

#include <purview/mpi/distributed.hpp>

#include <ostream>

namespace purview::inline v0_1::mpi {

std::ostream& operator<<(std::ostream& out, const Messages& sent) {
    return out << sent.count << " messages of " << sent.bytes << " bytes; " << sent.with_elements
               << " with elements, of " << sent.elements_bytes << " bytes";
}

std::ostream& operator<<(std::ostream& out, const Box& box) {
    if (box.begin.empty()) return out << "[]";
    for (std::size_t a = 0; a < box.begin.size(); ++a)
        out << (a == 0 ? "" : " x ") << '[' << box.begin[a] << ", " << box.end[a] << ')';
    return out;
}

std::ostream& operator<<(std::ostream& out, const Distribution& d) { return out << to_string(d); }

std::ostream& operator<<(std::ostream& out, const AnyDistributed& x) {
    const Distribution& d = x.distribution();
    out << "#purview.mpi.distributed<" << x.dtype().name() << '>' << d << "; rank "
        << d.communicator().rank() << " has ";
    if (d.is_blocks()) return out << d.box();
    return out << "a part of " << d.local_shape();
}

} // namespace purview
