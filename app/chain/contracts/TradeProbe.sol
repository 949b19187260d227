// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IToken {
    function balanceOf(address) external view returns (uint256);
    function transfer(address, uint256) external;
}

interface IQuote is IToken {
    function deposit() external payable;
}

interface IPool {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
    function swap(uint256, uint256, address, bytes calldata) external;
}

/// Buys and sells in one eth_call. It is never deployed: its code stands at
/// the caller's own address for that call, so the token sees one account.
contract TradeProbe {
    struct Result {
        bool canBuy;
        bool canSell;
        uint256 owed; // tokens the pool sent
        uint256 got; // tokens that arrived
        uint256 sent; // tokens given back
        uint256 taken; // tokens the pool received
    }

    receive() external payable {}

    function probe(address pool, address token, address quote, uint256 spend) external payable returns (Result memory r) {
        IQuote(quote).deposit{value: spend}();
        require(IToken(quote).balanceOf(address(this)) >= spend, "no wrapped coin");
        try this.buy(pool, token, quote, spend) returns (uint256 owed, uint256 got) {
            (r.canBuy, r.owed, r.got) = (got > 0, owed, got);
        } catch {
            return r;
        }
        if (!r.canBuy) return r;
        r.sent = r.got;
        try this.sell(pool, token, quote, r.got) returns (uint256 taken) {
            (r.canSell, r.taken) = (true, taken);
        } catch {}
    }

    function buy(address pool, address token, address quote, uint256 spend) external returns (uint256 owed, uint256 got) {
        IToken(quote).transfer(pool, spend);
        uint256 before = IToken(token).balanceOf(address(this));
        owed = _swap(pool, quote, address(this));
        got = IToken(token).balanceOf(address(this)) - before;
    }

    function sell(address pool, address token, address quote, uint256 amount) external returns (uint256 taken) {
        uint256 before = IToken(token).balanceOf(pool);
        IToken(token).transfer(pool, amount);
        taken = IToken(token).balanceOf(pool) - before;
        uint256 coins = IToken(quote).balanceOf(address(this));
        _swap(pool, token, address(this));
        require(IToken(quote).balanceOf(address(this)) > coins, "nothing came back");
    }

    function _swap(address pool, address from, address to) private returns (uint256 out) {
        (uint256 r0, uint256 r1,) = IPool(pool).getReserves();
        bool zero = IPool(pool).token0() == from;
        (uint256 rIn, uint256 rOut) = zero ? (r0, r1) : (r1, r0);
        uint256 amountIn = (IToken(from).balanceOf(pool) - rIn) * 997;
        out = amountIn * rOut / (rIn * 1000 + amountIn);
        IPool(pool).swap(zero ? 0 : out, zero ? out : 0, to, "");
    }
}
