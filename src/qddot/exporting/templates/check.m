function off = apart(found, right, off)
far = abs(found - right);
far(found == right | (isnan(found) & isnan(right))) = 0;
if any(isnan(far))
    off = NaN;
else
    off = max([off, far]);
end
end

function wrong = verdict(name, off, right, tolerance)
scale = max([abs(right(isfinite(right))); 1e-3]);
wrong = double(~(off <= tolerance * scale));
words = {'right', 'WRONG'};
fprintf('%-30s off by %.1e of %.3g: %s\n', name, off, scale, words{wrong + 1});
end

function one = one_of(p, k)
names = fieldnames(p);
for i = 1:numel(names)
    one.(names{i}) = p.(names{i})(k);
end
end
