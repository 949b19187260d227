// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import "./Factory.sol";
import "./Weth.sol";

/// The two trades people make, with the names of Uniswap's Router02.
contract Router {
    Factory public factory;
    Weth public WETH;

    constructor(Factory factory_, Weth weth) {
        (factory, WETH) = (factory_, weth);
    }

    receive() external payable {}

    function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 outMin, address[] calldata path, address to, uint256 deadline) external payable {
        require(block.timestamp <= deadline && path.length == 2 && path[0] == address(WETH), "trade");
        Pair pair = Pair(factory.getPair(path[0], path[1]));
        WETH.deposit{value: msg.value}();
        WETH.transfer(address(pair), msg.value);
        uint256 before = Erc20(path[1]).balanceOf(to);
        _swap(pair, path[0], to);
        require(Erc20(path[1]).balanceOf(to) - before >= outMin, "output");
    }

    function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 outMin, address[] calldata path, address to, uint256 deadline) external {
        require(block.timestamp <= deadline && path.length == 2 && path[1] == address(WETH), "trade");
        Pair pair = Pair(factory.getPair(path[0], path[1]));
        require(Erc20(path[0]).transferFrom(msg.sender, address(pair), amountIn), "transfer");
        _swap(pair, path[0], address(this));
        uint256 out = WETH.balanceOf(address(this));
        require(out >= outMin, "output");
        WETH.withdraw(out);
        (bool ok,) = to.call{value: out}("");
        require(ok, "send");
    }

    function _swap(Pair pair, address from, address to) private {
        (uint256 r0, uint256 r1,) = pair.getReserves();
        bool zero = pair.token0() == from;
        (uint256 rIn, uint256 rOut) = zero ? (r0, r1) : (r1, r0);
        uint256 amountIn = (Erc20(from).balanceOf(address(pair)) - rIn) * 997;
        uint256 out = amountIn * rOut / (rIn * 1000 + amountIn);
        pair.swap(zero ? 0 : out, zero ? out : 0, to, "");
    }
}
