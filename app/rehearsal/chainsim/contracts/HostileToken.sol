// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import "./Erc20.sol";

/// What a pre-check must find: an owner who can mint, pause, ban and tax.
contract HostileToken is Erc20 {
    address public owner;
    bool public paused;
    mapping(address => bool) public isBlacklisted;
    mapping(address => bool) public isPool;
    uint256 public buyFee; // basis points
    uint256 public sellFee; // basis points; 10000 or more: nobody can sell

    constructor(string memory name_, string memory symbol_, uint256 supply) Erc20(name_, symbol_) {
        owner = msg.sender;
        _mint(msg.sender, supply);
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "owner");
        _;
    }

    function mint(address to, uint256 value) external onlyOwner {
        _mint(to, value);
    }

    function pause() external onlyOwner {
        paused = true;
    }

    function blacklist(address account) external onlyOwner {
        isBlacklisted[account] = true;
    }

    function setFees(uint256 buy, uint256 sell) external onlyOwner {
        (buyFee, sellFee) = (buy, sell);
    }

    function setPool(address pool) external onlyOwner {
        isPool[pool] = true;
    }

    function renounceOwnership() external onlyOwner {
        owner = address(0);
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(!paused && !isBlacklisted[from], "refused");
        uint256 fee;
        if (from != owner && to != owner) {
            if (isPool[from]) fee = value * buyFee / 10000;
            if (isPool[to]) {
                require(sellFee < 10000, "refused");
                fee = value * sellFee / 10000;
            }
        }
        if (fee > 0) _move(from, owner, fee);
        _move(from, to, value - fee);
    }
}
