/// rewrite_npz IN OUT: reads a matrix that SciPy saved, and saves it in every form for SciPy to read (scipy_files.py).

#include <purview/sparse.hpp>

#include <exception>
#include <iostream>
#include <string>

namespace pv = purview;

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::string in = argv[1];
    const std::string out = argv[2];
    try {
        const pv::CsrMatrix<double> matrix = pv::load_npz(in);
        pv::save_npz(out + "_csr.npz", matrix);
        pv::save_npz(out + "_csc.npz", pv::to_csc(matrix), pv::Compression::stored);
        pv::save_npz(out + "_coo.npz", pv::load_npz_coo(in));
        pv::save_npz(out + "_tensor.npz", pv::sparse_tensor(matrix));
        pv::save_mtx(out + ".mtx", matrix);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
