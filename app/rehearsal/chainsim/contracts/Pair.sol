// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import "./Erc20.sol";

/// A constant-product pool (0.3 % fee) with the views and events of Uniswap v2.
contract Pair is Erc20("Liquidity", "LP") {
    uint256 public constant MINIMUM_LIQUIDITY = 1000;
    address public factory;
    address public token0;
    address public token1;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private updatedAt;

    event Mint(address indexed sender, uint256 amount0, uint256 amount1);
    event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to);
    event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to);
    event Sync(uint112 reserve0, uint112 reserve1);

    constructor(address a, address b) {
        factory = msg.sender;
        (token0, token1) = a < b ? (a, b) : (b, a);
    }

    function getReserves() public view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, updatedAt);
    }

    function mint(address to) external returns (uint256 liquidity) {
        (uint256 b0, uint256 b1) = _balances();
        (uint256 in0, uint256 in1) = (b0 - reserve0, b1 - reserve1);
        if (totalSupply == 0) {
            liquidity = _sqrt(in0 * in1) - MINIMUM_LIQUIDITY;
            _mint(address(0), MINIMUM_LIQUIDITY);
        } else {
            (uint256 l0, uint256 l1) = (in0 * totalSupply / reserve0, in1 * totalSupply / reserve1);
            liquidity = l0 < l1 ? l0 : l1;
        }
        require(liquidity > 0, "liquidity");
        _mint(to, liquidity);
        _update(b0, b1);
        emit Mint(msg.sender, in0, in1);
    }

    function burn(address to) external returns (uint256 out0, uint256 out1) {
        (uint256 b0, uint256 b1) = _balances();
        uint256 liquidity = balanceOf[address(this)];
        (out0, out1) = (liquidity * b0 / totalSupply, liquidity * b1 / totalSupply);
        require(out0 > 0 && out1 > 0, "liquidity");
        _burn(address(this), liquidity);
        require(Erc20(token0).transfer(to, out0) && Erc20(token1).transfer(to, out1), "transfer");
        (b0, b1) = _balances();
        _update(b0, b1);
        emit Burn(msg.sender, out0, out1, to);
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata) external {
        require(out0 > 0 || out1 > 0, "output");
        require(out0 < reserve0 && out1 < reserve1, "liquidity");
        if (out0 > 0) require(Erc20(token0).transfer(to, out0), "transfer");
        if (out1 > 0) require(Erc20(token1).transfer(to, out1), "transfer");
        (uint256 b0, uint256 b1) = _balances();
        uint256 in0 = b0 > reserve0 - out0 ? b0 - (reserve0 - out0) : 0;
        uint256 in1 = b1 > reserve1 - out1 ? b1 - (reserve1 - out1) : 0;
        require(in0 > 0 || in1 > 0, "input");
        require((b0 * 1000 - in0 * 3) * (b1 * 1000 - in1 * 3) >= uint256(reserve0) * reserve1 * 1000 ** 2, "K");
        _update(b0, b1);
        emit Swap(msg.sender, in0, in1, out0, out1, to);
    }

    function _balances() private view returns (uint256, uint256) {
        return (Erc20(token0).balanceOf(address(this)), Erc20(token1).balanceOf(address(this)));
    }

    function _update(uint256 b0, uint256 b1) private {
        (reserve0, reserve1, updatedAt) = (uint112(b0), uint112(b1), uint32(block.timestamp));
        emit Sync(reserve0, reserve1);
    }

    function _sqrt(uint256 y) private pure returns (uint256 z) {
        if (y < 4) return y == 0 ? 0 : 1;
        z = y;
        for (uint256 x = y / 2 + 1; x < z; x = (y / x + x) / 2) z = x;
    }
}
